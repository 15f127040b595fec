import type { Answer, Client, World } from './world.ts'

/** A client like the window: it sends the session's cookie, and the CSRF token with writes. */
export interface Browser extends Client {
  cookie: string
  csrf: string
}

/** The session cookie that an answer sets, in the form of the request header. */
export function cookieOf(answer: Answer): string {
  return answer.headers.getSetCookie()[0]!.split(';')[0]!
}

/** The client with this cookie. */
export function browser(w: World, cookie: string, csrf: string): Browser {
  const nobody = w.as(null)
  const credentials = { cookie, 'x-csrf-token': csrf }
  return {
    cookie,
    csrf,
    get: (path, headers = {}) => nobody.get(path, { cookie, ...headers }),
    head: (path, headers = {}) => nobody.head(path, { cookie, ...headers }),
    options: (path, headers = {}) => nobody.options(path, { cookie, ...headers }),
    post: (path, body, headers = {}) => nobody.post(path, body, { ...credentials, ...headers }),
    put: (path, body, headers = {}) => nobody.put(path, body, { ...credentials, ...headers }),
    patch: (path, body, headers = {}) => nobody.patch(path, body, { ...credentials, ...headers }),
    delete: (path, body, headers = {}) => nobody.delete(path, body, { ...credentials, ...headers }),
  }
}

/** Signs in as the window does. */
export async function signIn(w: World, login = 'root', password = w.root.password): Promise<Browser> {
  const answer = await w.as(null).post('/-/session', { login, password })
  if (answer.status !== 201) throw new Error(`Nobody signed in: ${answer.status} ${answer.text}`)
  return browser(w, cookieOf(answer), answer.body.csrf_token)
}
