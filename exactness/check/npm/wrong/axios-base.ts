// invented: baseUrl; right: baseURL
import axios from "axios";

export const api = axios.create({
  baseUrl: "https://api.example.com/v2",
  timeout: 2500,
  withCredentials: true,
});

api.interceptors.response.use((response) => response.data);

export const me = (): Promise<unknown> => api.get("/me");
