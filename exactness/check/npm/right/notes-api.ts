import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { v4 as uuid, validate } from "uuid";

interface Note {
  id: string;
  text: string;
}

interface NoteParams {
  id: string;
}

const schema = {
  body: {
    type: "object",
    required: ["text"],
    properties: { text: { type: "string", maxLength: 2000 } },
  },
} as const;

export function build(): FastifyInstance {
  const app = Fastify({ logger: true, bodyLimit: 64 * 1024, trustProxy: true });
  const notes = new Map<string, Note>();

  app.decorate("notes", notes);

  app.addHook("onRequest", async (request: FastifyRequest) => {
    request.log.debug({ url: request.url }, "request");
  });

  app.get("/notes", async () => [...notes.values()]);

  app.get<{ Params: NoteParams }>("/notes/:id", async (request, reply: FastifyReply) => {
    const { id } = request.params;
    if (!validate(id)) {
      return reply.code(400).send({ error: "not an id" });
    }
    return notes.get(id) ?? reply.callNotFound();
  });

  app.post<{ Body: { text: string } }>("/notes", { schema }, async (request, reply) => {
    const note = { id: uuid(), text: request.body.text };
    notes.set(note.id, note);
    return reply.code(201).header("Location", `/notes/${note.id}`).send(note);
  });

  app.setErrorHandler((error, _request, reply) => {
    reply.status(500).send({ error: String(error) });
  });

  app.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "not found" }));
  return app;
}

const app = build();
await app.listen({ port: 3000, host: "127.0.0.1" });
app.log.info("ready");
process.once("SIGTERM", () => void app.close());
