// invented: jsonParser; right: json
import express from "express";

const app = express();

app.use(express.jsonParser({ limit: "1mb" }));
app.use(express.urlencoded({ extended: true }));

app.post("/echo", (req, res) => {
  res.json(req.body);
});

app.listen(8080);
