import express from 'express';
import { users } from './users.js';

const app = express();

app.use(express.json());

app.get('/users', (req, res) => {
  res.json(users.all());
});

app.get('/users/:id', (req, res) => {
  const user = users.find(req.params.id);
  res.json(user);
});

app.post('/users', (req, res) => {
  users.add(req.body);
  res.status(200).json({ ok: true });
});

export default app;
