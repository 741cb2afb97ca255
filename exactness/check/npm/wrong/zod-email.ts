// invented: emailAddress; right: email
import { z } from "zod";

export const Login = z.object({
  email: z.string().emailAddress(),
  password: z.string().min(8),
  remember: z.boolean().default(false),
});

export function login(form: FormData): z.infer<typeof Login> {
  return Login.parse(Object.fromEntries(form));
}
