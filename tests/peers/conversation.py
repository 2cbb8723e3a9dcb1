"""What the peers share: the card, the frames and the conversation of the profile, apart from any transport.

A transport makes one `Session` for each connection and hands it every frame that arrives. It answers through a
wire: anything with `async send(text)` and `async close(code, reason)`.
"""

import base64
import hashlib
import json
import time

URI = "https://agentcall.smartycode.com/ext/agentcall-agui/0.1"
FRAME = 128 * 1024
INTENTS = {"identify", "remember", "inspect", "act"}


class Refused(Exception):
    """A client message that is refused with a failure."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code, self.message = code, message


def card(name, agui, voice_owner):
    """An A2A card; `agui` is the object that says where and over what the session is held."""
    return {
        "name": name,
        "description": "A peer on another stack",
        "version": "1",
        "supportedInterfaces": [],
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [],
        "capabilities": {
            "extensions": [
                {
                    "uri": URI,
                    "description": "AgentCall AG-UI extension 0.1",
                    "required": False,
                    "params": {
                        "schemaVersion": "0.1",
                        "agui": {**agui, "session": {"resume": False, "replay": False}},
                        "voice": {"owner": voice_owner},
                        "physicalObservations": {"accepted": ["nfc", "photo"], "agentRequests": ["nfc", "photo"]},
                    },
                }
            ]
        },
    }


def jpeg_size(data):
    """Width and height from the start-of-frame segment; refuses anything that is not one whole JPEG."""
    if data[:2] != b"\xff\xd8" or data[-2:] != b"\xff\xd9":
        raise Refused("image", "not a JPEG")
    at, size = 2, None
    while at + 4 <= len(data) and size is None:
        if data[at] != 0xFF:
            raise Refused("image", "damaged JPEG")
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if marker in (0xC0, 0xC1, 0xC2):
            size = int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        elif 0xE1 <= marker <= 0xEF or marker == 0xFE:
            raise Refused("image", "the JPEG carries metadata")
        at += 2 + length
    if size is None:
        raise Refused("image", "no size in the JPEG")
    return size


def log(**what):
    """One JSON line of what was seen or done, with the time of day in seconds."""
    print(json.dumps({**what, "at": round(time.time(), 6)}), flush=True)


class Talk:
    """One session."""

    def __init__(self, wire, album):
        self.wire, self.album = wire, album
        self.sequence, self.turn, self.asked = 0, 0, 0
        self.modalities, self.pending = set(), None
        self.labels, self.proposal, self.focus = {}, None, None

    def begin(self, session_id, capabilities):
        physical = capabilities.get("physicalObservations", {})
        self.modalities = set(physical.get("modalities", [])) & {"nfc", "photo"}
        log(saw="start", sessionId=session_id, modalities=sorted(self.modalities))

    async def send(self, event, /, **fields):
        self.sequence += 1
        await self.wire.send(json.dumps({"sequence": self.sequence, "event": {"type": event, **fields}}))

    async def run(self, text):
        await self.send("run.started")
        for word in text.split(" "):
            await self.send("text.delta", text=word + " ")
        await self.send("speech.segment", segmentId=f"s{self.sequence}", text=text, stable=True)
        await self.send("run.completed")

    async def hear(self, message):
        kind = message.get("type")
        if kind == "ack":
            log(saw="ack", sequence=message["sequence"])
        elif kind == "user.turn":
            self.advance(message)
            await self.text(message["text"], message.get("context", []))
        elif kind == "user.observation":
            self.advance(message)
            await self.observation(message)
        elif kind == "response.cancel":
            log(saw="cancel")
            await self.cancelled()
        elif kind == "session.end":
            log(saw="end")
            await self.wire.close()
        else:
            raise Refused("unknown", "unknown message")

    def advance(self, message):
        turn = message.get("turn")
        if not isinstance(turn, int) or turn <= self.turn:
            raise Refused("turn", "the turn does not increase")
        self.turn = turn

    async def cancelled(self):
        self.proposal = None
        if self.pending:
            pending, self.pending = self.pending, None
            await self.send("interaction.resolved", interactionId=pending[0], outcome="cancelled")

    async def text(self, text, context):
        log(saw="turn", turn=self.turn, text=text, context=context)
        if text.startswith("teach object ") and self.focus:
            self.proposal = (self.focus, text.removeprefix("teach object ").strip())
            await self.run(f"I would remember: {self.proposal[1]}")
        elif text == "confirm object" and self.proposal:
            ref, label = self.proposal
            self.labels[ref], self.proposal = label, None
            await self.run(f"Remembered: {label}")
        elif text == "cancel teaching":
            self.proposal = None
            await self.run("Dropped the proposal.")
        elif text == "scan an object":
            await self.ask("nfc", "physical.nfc.scan", "Please show me the tag")
        elif text == "take a photo":
            await self.ask("photo", "physical.photo.capture", "Please show me a photo")
        elif text == "close on me":
            await self.send("run.started")
            await self.send("text.delta", text="I am going aw")
            await self.wire.close(1001, "going away")
        elif text == "echo my context":
            await self.run("context: " + json.dumps(context))
        elif text == "fail":
            await self.send("run.started")
            await self.send("failure", code="model_down", message="the model is down")
        else:
            await self.run(f"You said {text}")

    async def ask(self, modality, kind, prompt):
        self.asked += 1
        self.pending = (f"ask-{self.asked}", modality)
        await self.run("I will ask you.")
        await self.send(
            "interaction.requested",
            interactionId=self.pending[0],
            kind=kind,
            prompt=prompt,
            spokenPrompt=prompt,
            options=[],
            allowsFreeform=False,
        )

    async def observation(self, message):
        seen = message["observation"]
        has = {m for m, part in (("nfc", "object"), ("photo", "image")) if part in seen}
        if seen.get("schemaVersion") != "0.1" or seen.get("intent") not in INTENTS or not has:
            raise Refused("observation", "the observation is not valid")
        if not has <= self.modalities:
            raise Refused("modality", "a modality was not negotiated")
        answered = message.get("interactionId")
        if answered is not None and (self.pending is None or self.pending[0] != answered or self.pending[1] not in has):
            raise Refused("interaction", "no such request is pending")
        reply = []
        if "image" in seen:
            reply.append(self.image(seen["image"]))
        if "object" in seen:
            reply.append(self.object(seen["object"]))
        await self.run(" ".join(reply))
        if answered is not None:
            self.pending = None
            await self.send("interaction.resolved", interactionId=answered, outcome="answered")

    def image(self, image):
        if image.get("mediaType") != "image/jpeg":
            raise Refused("image", "not image/jpeg")
        data = base64.b64decode(image["data"], validate=True)
        width, height = jpeg_size(data)
        facts = {
            "byteCount": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "pixelWidth": width,
            "pixelHeight": height,
        }
        if any(image.get(name) != fact for name, fact in facts.items()):
            raise Refused("image", "the facts of the image are not its own")
        if len(data) > 61440 or max(width, height) > 1024:
            raise Refused("image", "the image is too large")
        log(saw="image", **facts, **self.album.keep(data))
        return f"I see a photo of {width} by {height}."

    def object(self, thing):
        ref = thing["objectRef"]
        digest = thing["payloadSha256"]
        if thing["assurance"] != "unverifiedTag" or thing["carrier"] not in ("ndef", "localTag") or len(digest) != 64:
            raise Refused("object", "the object is not valid")
        if thing["carrier"] == "localTag" and hashlib.sha256(ref.encode()).hexdigest() != digest:
            raise Refused("object", "the digest is not that of the alias")
        log(saw="object", objectRef=ref, carrier=thing["carrier"], payloadSha256=digest)
        if self.proposal and self.proposal[0] != ref:
            self.proposal = None
        self.focus = ref
        label = self.labels.get(ref)
        return f"This is {label}." if label else "I do not know this object."


class Album:
    """Where photos are kept, if anywhere."""

    def __init__(self, directory):
        self.directory, self.photos = directory, 0

    def keep(self, data):
        if self.directory is None:
            return {}
        self.photos += 1
        path = self.directory / f"{self.photos}.jpg"
        path.write_bytes(data)
        return {"kept": str(path)}


class Session:
    """Frames of one connection: the first one starts the session, the others go to it."""

    def __init__(self, wire, album, kind=Talk):
        self.wire, self.album, self.kind = wire, album, kind
        self.talk = None

    async def hear(self, raw):
        try:
            if isinstance(raw, bytes) or len(raw.encode()) > FRAME:
                raise Refused("frame", "binary or too large")
            message = json.loads(raw)
            if self.talk is None:
                await self.start(message)
            else:
                await self.talk.hear(message)
        except Refused as refusal:
            await self.refuse(refusal)

    async def refuse(self, refusal):
        log(saw="refused", code=refusal.code, message=refusal.message)
        talk = self.talk or self.kind(self.wire, self.album)
        await talk.send("failure", code=refusal.code, message=refusal.message)

    async def start(self, message):
        if message.get("type") != "session.start":
            raise Refused("start", "session.start comes first")
        talk = self.kind(self.wire, self.album)
        capabilities = message.get("clientCapabilities", {})
        talk.begin(message["sessionId"], capabilities)
        self.talk = talk
        await talk.send("session.established", resumed=False)
