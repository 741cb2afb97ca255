import { Hono, type Context } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { logger } from "hono/logger";
import { bearerAuth } from "hono/bearer-auth";
import { getCookie, setCookie, deleteCookie } from "hono/cookie";
import { streamSSE } from "hono/streaming";
import { z } from "zod/v4";

type Env = { Bindings: { TOKEN: string }; Variables: { user: string } };

const Vote = z.object({ choice: z.enum(["yes", "no"]), weight: z.int().min(1).max(5) });

const app = new Hono<Env>().basePath("/api");

app.use("*", logger());
app.use("/votes/*", cors({ origin: ["https://example.com"], allowMethods: ["GET", "POST"], maxAge: 600 }));
app.use("/admin/*", bearerAuth({ token: "secret", realm: "admin" }));

const votes: z.infer<typeof Vote>[] = [];

app.get("/votes", (c) => c.json({ count: votes.length }));

app.post("/votes", async (c) => {
  const parsed = Vote.safeParse(await c.req.json());
  if (!parsed.success) {
    throw new HTTPException(422, { message: "not a vote" });
  }
  votes.push(parsed.data);
  setCookie(c, "voted", "1", { httpOnly: true, sameSite: "Lax", maxAge: 3600 });
  return c.body(null, 204);
});

app.delete("/votes", (c) => {
  votes.length = 0;
  deleteCookie(c, "voted");
  return c.text(getCookie(c, "voted") ?? "gone", 200);
});

app.get("/live", (c: Context<Env>) =>
  streamSSE(c, async (stream) => {
    for (let id = 0; id < 3; id++) {
      await stream.writeSSE({ data: String(votes.length), event: "count", id: String(id) });
      await stream.sleep(1000);
    }
  }),
);

app.onError((error, c) => (error instanceof HTTPException ? error.getResponse() : c.text("broken", 500)));
app.notFound((c) => c.json({ error: "not found" }, 404));

export default app;
