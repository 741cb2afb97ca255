// invented: fetch; right: get
import axios from "axios";

const TIMEOUT = 5000;

export interface Weather {
  celsius: number;
  sky: string;
}

export async function weather(city: string): Promise<Weather> {
  const response = await axios.fetch<Weather>("/weather", { params: { city }, timeout: TIMEOUT });
  return response.data;
}

export async function save(city: string, weather: Weather): Promise<void> {
  await axios.put(`/weather/${city}`, weather);
}
