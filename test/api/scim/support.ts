import type { Answer, TestUser, World } from '../../support/world.ts'

export const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

/** An identity provider, which sends requests with its token and the media type of the protocol. */
export interface Provider {
  ask(method: string, path: string, body?: unknown, token?: string | null): Promise<Answer>
  readonly token: string
}

/** Enables SCIM for a group or for the instance, and returns its identity provider. */
export async function provider(
  { as, url }: World,
  owner: TestUser,
  group?: { id: number; full_path: string },
): Promise<Provider> {
  const made = await as(owner).post(group ? `/-/groups/${group.id}/scim/connection` : '/-/scim/connection')
  if (made.status !== 201) throw new Error(made.text)
  const { token, endpoint } = made.body as { token: string; endpoint: string }
  const path = new URL(endpoint).pathname
  return {
    token,
    ask: (method, rest, body, bearer = token) => send(`${url}${path}${rest}`, method, body, bearer),
  }
}

/** Sends a request in the format of an identity provider. */
export async function send(
  address: string,
  method: string,
  body: unknown,
  token: string | null,
): Promise<Answer> {
  const response = await fetch(address, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/scim+json; charset=utf-8' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : text,
  }
}

/** Returns a user in the format of identity providers. */
export function person(name: string, more: Record<string, unknown> = {}) {
  return {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    externalId: `uid-${name}`,
    userName: `${name}@corp.example`,
    name: { givenName: 'Ann', familyName: name },
    emails: [{ primary: true, value: `${name}@corp.example`, type: 'work' }],
    active: true,
    ...more,
  }
}
