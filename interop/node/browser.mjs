#!/usr/bin/env node
// A browser for one page: follows redirects with its cookies until they lead back to the program
// that opened it, and goes there.
//
// Usage: browser.mjs URL

const start = new URL(process.argv[2]);
const back = start.searchParams.get('redirect_uri');
const cookies = new Map();
let url = start;
for (let hops = 0; hops < 20; hops += 1) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
  for (const set of response.headers.getSetCookie()) {
    const [name, value] = set.split(';')[0].split('=');
    cookies.set(name, value);
  }
  const to = response.headers.get('location');
  if (to === null) {
    process.exit(response.ok ? 0 : 1);
  }
  url = new URL(to, url);
  if (String(url).startsWith(back) && process.env.INTEROP_BROWSER === 'print') {
    console.log(String(url));
    process.exit(0);
  }
}
process.exit(1);
