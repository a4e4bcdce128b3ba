const api = {
  base: '/api',

  get(path) {
    return fetch(this.base + path);
  },

  async post(path, body) {
    const response = await fetch(path, { method: 'POST', body });
    return response.json();
  },

  async remove(path) {
    return fetch(this.base + path, { method: 'DELETE' });
  },
};

export default api;
