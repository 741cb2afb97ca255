import axios, { AxiosError, type AxiosInstance, type AxiosRequestConfig, isAxiosError } from "axios";

export interface Repository {
  id: number;
  full_name: string;
  stargazers_count: number;
}

export function createClient(token?: string): AxiosInstance {
  const client = axios.create({
    baseURL: "https://api.example.com",
    timeout: 10_000,
    headers: { Accept: "application/json" },
    validateStatus: (status) => status < 500,
    maxRedirects: 3,
  });
  client.interceptors.request.use((config) => {
    if (token) {
      config.headers.set("Authorization", `Bearer ${token}`);
    }
    return config;
  });
  client.interceptors.response.use(undefined, async (error: AxiosError) => {
    if (error.response?.status === 429) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return axios.request(error.config as AxiosRequestConfig);
    }
    return Promise.reject(error);
  });
  return client;
}

export async function search(client: AxiosInstance, words: string): Promise<Repository[]> {
  const source = axios.CancelToken.source();
  const timer = setTimeout(() => source.cancel("too slow"), 5000);
  try {
    const { data } = await client.get<{ items: Repository[] }>("/search", {
      params: { q: words, per_page: 20 },
      cancelToken: source.token,
    });
    return data.items;
  } catch (error) {
    if (axios.isCancel(error)) {
      return [];
    }
    if (isAxiosError(error) && error.code === AxiosError.ECONNABORTED) {
      return [];
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

export async function upload(url: string, fields: Record<string, string>): Promise<number> {
  const response = await axios.postForm(url, fields);
  const both = await axios.all([axios.head(url), axios.options(url)]);
  return response.status + both.length;
}
