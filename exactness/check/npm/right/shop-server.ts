import path from "node:path";
import { randomUUID } from "node:crypto";
import express, { type NextFunction, type Request, type Response, Router } from "express";

interface Product {
  id: string;
  name: string;
  price: number;
}

const products = new Map<string, Product>();

const router: Router = express.Router({ mergeParams: true, strict: true });

router.get("/", (_req: Request, res: Response) => {
  res.json([...products.values()]);
});

router.post("/", (req: Request, res: Response) => {
  const { name, price } = req.body as Partial<Product>;
  if (!name || typeof price !== "number") {
    res.status(400).json({ error: "name and price are required" });
    return;
  }
  const product = { id: randomUUID(), name, price };
  products.set(product.id, product);
  res.status(201).location(`/products/${product.id}`).json(product);
});

router.delete("/:id", (req: Request<{ id: string }>, res: Response) => {
  res.sendStatus(products.delete(req.params.id) ? 204 : 404);
});

const app = express();
app.disable("x-powered-by");
app.set("trust proxy", 1);
app.use(express.json({ limit: "100kb", strict: true }));
app.use(express.urlencoded({ extended: false }));
app.use("/assets", express.static(path.join(process.cwd(), "public"), { maxAge: "1d" }));
app.use("/products", router);

app.use((error: Error, _req: Request, res: Response, _next: NextFunction) => {
  res.status(500).type("text/plain").send(error.message);
});

const server = app.listen(Number(process.env.PORT ?? 3000), () => {
  console.log("listening", server.address());
});
