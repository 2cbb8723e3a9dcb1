mod file;
mod level;
mod resample;
mod signal;
mod timeline;
