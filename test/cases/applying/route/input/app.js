const app = require('express')();

app.get('/one', (req, res) => {
  res.send('2');
});

app.get('/two', (req, res) => {
  res.send('2');
});

app.listen(3000);
