import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { endpointsOf } from '../../server/domain.ts'
import { domains } from '../../server/domains.ts'
import { isOutsideApi, type Endpoint } from '../../server/http/endpoint.ts'
import { jsonSchemaOf } from '../../server/http/param.ts'
import { validatorOf } from '../../server/http/validate.ts'
import { flat, leastParams, pathNames, sample } from './samples.ts'
import { sliceOf } from './slice.ts'
import { world, type TestUser, type World } from './world.ts'

/** The time in milliseconds for which an endpoint is tried after its minimum number of attempts. */
const SHARE_MS = 10
/** The minimum number of attempts for every endpoint, also on a busy machine. */
const LEAST = 6

/** The endpoints of this run's slice that read, and those that write. */
const endpoints = sliceOf(await endpointsOf(domains), (endpoint) => endpoint.route)
export const reading = endpoints.filter((endpoint) => endpoint.method === 'GET')
export const writing = endpoints.filter((endpoint) => endpoint.method !== 'GET')

let w: World
let user: TestUser
let owners: Record<string, { id: number }> = {}

const ODD_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\n',
  '\ud800',
  '\u202e',
  '🦆'.repeat(50),
  'x'.repeat(5000),
  '-',
  '--help',
  '../../etc/passwd',
  '..',
  '/',
  '%',
  '%2F',
  '%00',
  "'; DROP TABLE users; --",
  '" OR 1=1',
  '%_\\',
  '<script>',
  '${7*7}',
  '__proto__',
  'constructor',
  'null',
  'true',
  '-1',
  '0',
  '1e309',
  '99999999999999999999',
  '9007199254740993',
  '٣',
  '2022-02-30',
  '9999-12-31T23:59:59-23:59',
  'refs/heads/main',
  'HEAD',
  'main..main',
  'main^{/x}',
  '@{-1}',
  ':(glob)**',
  'a,b,,c',
  '[',
  '(((((((((((((((((a*)*)*)*)*',
]

const scalar = fc.oneof(
  fc.constantFrom<unknown>(...ODD_TEXTS, null, true, false, 0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e300),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer(),
)
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 5 }) },
  {
    weight: 2,
    arbitrary: fc.dictionary(fc.constantFrom('a', '', '__proto__', '0', 'constructor'), scalar, {
      maxKeys: 3,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>([[[[]]]], { a: { b: { c: [] } } }, Array(2000).fill('x'), [
      {},
      null,
      [1],
    ]),
  },
)

/** A value close to the declared type: valid, or wrong in one of many ways. */
function near(schema: Record<string, unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(sample(schema)) }, { weight: 4, arbitrary: anything })
}

interface Attempt {
  params: Record<string, unknown>
  path: unknown[]
  form: 'query' | 'json' | 'form' | 'multipart' | 'double'
  signed: boolean
}

function attempts(endpoint: Endpoint): fc.Arbitrary<Attempt> {
  const { shape } = validatorOf(endpoint)
  const inPath = pathNames(endpoint)
  const names = Object.keys(shape).filter((name) => !inPath.includes(name))
  const some = fc.record(Object.fromEntries(names.map((name) => [name, near(jsonSchemaOf(shape[name]!))])), {
    requiredKeys: [],
  })
  const least = leastParams(endpoint)
  return fc.record({
    params: fc
      .tuple(
        some,
        fc.dictionary(
          fc.constantFrom('page', 'per_page', 'order_by', 'unknown', 'private[x]', 'a[][b]'),
          anything,
          { maxKeys: 2 },
        ),
      )
      .map(([valid, noise]) => ({ ...least, ...valid, ...noise })),
    path: fc.tuple(
      ...inPath.map((name) =>
        name === endpoint.scope?.param
          ? fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, scalar)
          : fc.oneof(scalar, fc.constantFrom<unknown>(1, 2, 'main', 'README.md')),
      ),
    ) as fc.Arbitrary<unknown[]>,
    form: fc.constantFrom('query', 'json', 'form', 'multipart', 'double'),
    signed: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  })
}

const encoded = (value: unknown): string => {
  const text = String(value ?? '').toWellFormed()
  return text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text)
}

async function send(
  endpoint: Endpoint,
  attempt: Attempt,
  user: TestUser,
): Promise<{ status: number; text: string; type: string }> {
  const inPath = pathNames(endpoint)
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = attempt.path[inPath.indexOf(name)]
    return encoded(value === undefined ? owners[endpoint.scope?.name ?? '']?.id : value)
  })
  const address = isOutsideApi(endpoint.path) ? path : `/api/v4${path}`
  const fields = flat(attempt.params)
  const headers: Record<string, string> = attempt.signed ? { 'private-token': user.token } : {}
  const isBodiless = endpoint.method === 'GET'
  const form = isBodiless ? 'query' : attempt.form
  const query = form === 'query' || form === 'double' ? `?${fields.slice(0, 6000).replace(/%.?$/, '')}` : ''
  let body: string | FormData | undefined
  if (form === 'json' || form === 'double') {
    body = JSON.stringify(attempt.params)
    headers['content-type'] = 'application/json'
  } else if (form === 'form') {
    // Every name twice: contradictions and repetitions.
    body = `${fields}&${fields}`
    headers['content-type'] = 'application/x-www-form-urlencoded'
  } else if (form === 'multipart') {
    body = new FormData()
    for (const [name, value] of Object.entries(attempt.params)) {
      body.append(name, typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
      body.append(name, new File(['x'], 'f'))
    }
  }
  const signal = AbortSignal.timeout(8000)
  const init = {
    method: endpoint.method,
    headers,
    signal,
    redirect: 'manual' as const,
    ...(body === undefined ? {} : { body }),
  }
  const response = await fetch(`${w.url}${address}${query}`, init)
  return {
    status: response.status,
    text: await response.text(),
    type: response.headers.get('content-type') ?? '',
  }
}

/** True for a body in one of the API's error shapes. */
function isRefusal(text: string): boolean {
  const body = JSON.parse(text) as Record<string, unknown>
  const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
  const isMessage = (value: unknown): boolean =>
    isText(value) ||
    (Array.isArray(value) && value.every(isText)) ||
    (typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((value) => isText(value) || (Array.isArray(value) && value.every(isText))))
  // Endpoints of another standard have the error bodies of that standard.
  if ('detail' in body) return isText(body['detail']) && typeof body['status'] === 'number'
  // Importers from other hosts have their own error shape. Others list the problems after the message.
  if ('errors' in body && !('message' in body)) return isText(body['errors'])
  return 'message' in body ? isMessage(body['message']) : isText(body['error'])
}

/** Returns the fault of an answer; undefined for a correct one. */
function flaw(answer: { status: number; text: string; type: string }): string | undefined {
  if (answer.status >= 500) return `${answer.status} ${answer.text}`
  if (answer.status < 400 || answer.text === '') return undefined
  // The throttle of sign-ins answers in plain text.
  if (answer.status === 429 && answer.text === 'Retry later\n') return undefined
  if (!answer.type.includes('json')) return `${answer.status} as ${answer.type}`
  return isRefusal(answer.text) ? undefined : `${answer.status} ${answer.text}`
}

/** A new user with a project and a group of their own. */
async function begin(): Promise<void> {
  user = w.make.user({ admin: true })
  // Requests to earlier endpoints may have changed settings and users, so both are reset. Throttles are off, because
  // they would soon refuse guesses of passwords and codes. Outgoing requests are limited to this machine.
  const settings = '{"throttle_protected_paths_enabled":false,"deny_all_requests_except_allowed":true}'
  w.ctx().db.exec('UPDATE application_settings SET changes = ?', settings)
  owners = {
    project: await w.make.project({ owner: user, with: 'readme' }),
    group: await w.make.group({ owner: user }),
  }
  await w.drain()
}

/** The number of endpoints that share the records they write to, unless one of them destroys these. */
const SHARERS = 8
let sharers = 0

/** Returns records to write to: those of the previous endpoint, or new ones. */
async function beginAnew(): Promise<void> {
  const token = w.as(user)
  const project = await token.get(`/projects/${owners['project']!.id}`)
  const group = await token.get(`/groups/${owners['group']!.id}`)
  const isWell = project.status === 200 && group.status === 200 && project.body.archived === false
  if (isWell && ++sharers < SHARERS) return
  sharers = 0
  await begin()
}

async function tryOut(endpoint: Endpoint): Promise<void> {
  const until = Date.now() + SHARE_MS
  let sent = 0
  await fc.assert(
    fc.asyncProperty(attempts(endpoint), async (attempt) => {
      if (sent >= LEAST && Date.now() > until) return
      sent++
      expect(flaw(await send(endpoint, attempt, user))).toBeUndefined()
    }),
    { numRuns: 150 },
  )
  expect(sent).toBeGreaterThanOrEqual(LEAST)
}

/**
 * Tries these endpoints with wrong input. Reading endpoints share one project and group, writing ones share a few of
 * them.
 */
export function fuzz(some: readonly Endpoint[]): void {
  beforeAll(async () => {
    w = await world()
    await begin()
  })

  describe('whatever is sent', () => {
    it.each(some.map((endpoint) => [endpoint.route, endpoint] as const))(
      'is answered, never with a 5xx: %s',
      async (_, endpoint) => {
        if (endpoint.method !== 'GET') await beginAnew()
        await tryOut(endpoint)
      },
    )

    it('leaves the instance well', async () => {
      expect((await w.as(null).get('/-/readiness?all=1')).body.status).toBe('ok')
      await w.drain()
      const failed = w.ctx().db.many("SELECT name, error FROM jobs WHERE state = 'failed'")
      expect(failed).toEqual([])
    })
  })
}
