import { z } from "zod";

export const Address = z.object({
  street: z.string().min(1).max(200),
  city: z.string().trim(),
  postcode: z.string().regex(/^[0-9A-Z -]{3,10}$/),
  country: z.enum(["de", "fr", "se", "us"]).default("de"),
});

export const Account = z
  .object({
    id: z.uuid(),
    email: z.email(),
    name: z.string().min(2),
    age: z.number().int().positive().optional(),
    roles: z.array(z.string()).nonempty(),
    address: Address.partial(),
    created: z.coerce.date(),
  })
  .strict();

export type Account = z.infer<typeof Account>;

export const Patch = Account.omit({ id: true }).partial();

export class InvalidAccount extends Error {
  constructor(readonly issues: z.core.$ZodIssue[]) {
    super(issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"));
  }
}

export function readAccount(input: unknown): Account {
  const result = Account.safeParse(input);
  if (!result.success) {
    throw new InvalidAccount(result.error.issues);
  }
  return result.data;
}

const Event = z.discriminatedUnion("type", [
  z.object({ type: z.literal("created"), account: Account }),
  z.object({ type: z.literal("removed"), id: z.string() }),
]);

export function describe(input: unknown): string {
  try {
    const event = Event.parse(input);
    return event.type === "created" ? event.account.name : event.id;
  } catch (error) {
    if (error instanceof z.ZodError) {
      return z.prettifyError(error);
    }
    throw error;
  }
}
