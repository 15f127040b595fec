import { readFileSync } from 'node:fs'

import { beforeAll, describe, expect, it } from 'vitest'

import { endpointsOf } from '../server/domain.ts'
import { domains } from '../server/domains.ts'
import { generatedFiles } from '../server/gen.ts'
import type { Endpoint } from '../server/http/endpoint.ts'
import { jsonSchemaOf } from '../server/http/param.ts'
import { RouteTable } from '../server/http/route-table.ts'
import { validatorOf } from '../server/http/validate.ts'
import type { Ability } from '../server/policy/ability.ts'
import { anonymous, type Actor, type UserActor } from '../server/policy/actor.ts'
import { GUEST, OWNER, type Visibility } from '../server/policy/levels.ts'
import { addressOf, ask, leastParams, pathNames } from './support/samples.ts'
import { seed, sliceOf } from './support/slice.ts'
import { world, type TestUser, type World } from './support/world.ts'

const endpoints = await endpointsOf(domains)
const policies = import.meta.glob<Record<string, Record<string, Ability>>>('../server/domains/**/policy.ts', {
  eager: true,
})
/** A policy may also export types of owners. An ability has the lowest access level that includes it. */
const abilities = Object.values(policies)
  .flatMap((module) => Object.values(module).flatMap((rules) => Object.values(rules)))
  .filter((rule) => typeof rule === 'object' && 'from' in rule)

describe('every declaration', () => {
  it('has a summary, and describes its parameters', () => {
    const silent = endpoints.flatMap((endpoint) => [
      ...(/^[A-Z].{5,}[^.]$/.test(endpoint.summary) ? [] : [`${endpoint.route}: summary`]),
      ...Object.entries(validatorOf(endpoint).shape)
        .filter(([, type]) => !jsonSchemaOf(type)['description'])
        .map(([name]) => `${endpoint.route}: ${name}`),
    ])
    expect(silent).toEqual([])
  })

  it('knows every parameter of its path', () => {
    const unknown = endpoints.flatMap((endpoint) =>
      pathNames(endpoint)
        .filter((name) => name !== endpoint.scope?.param && !(name in endpoint.params))
        .map((name) => `${endpoint.route}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it('has parameters of known types', () => {
    const untyped = endpoints.flatMap((endpoint) =>
      Object.entries(validatorOf(endpoint).shape)
        .filter(([, type]) => jsonSchemaOf(type)['type'] === undefined)
        .map(([name]) => `${endpoint.route}: ${name}`),
    )
    expect(untyped).toEqual([])
  })

  it('names only its own parameters in parameter rules', () => {
    const foreign = endpoints.flatMap((endpoint) =>
      endpoint.parameterRules.flatMap((rule) =>
        rule.names.filter((name) => !(name in endpoint.params)).map((name) => `${endpoint.route}: ${name}`),
      ),
    )
    expect(foreign).toEqual([])
  })

  it('names its owner in its path', () => {
    const lost = endpoints.filter(
      (endpoint) => endpoint.scope && !pathNames(endpoint).includes(endpoint.scope.param),
    )
    expect(lost.map((endpoint) => endpoint.route)).toEqual([])
  })

  it('has its own route', () => {
    expect(() => new RouteTable(endpoints)).not.toThrow()
  })

  it('declares errors by their status', () => {
    const odd = endpoints.flatMap((endpoint) =>
      Object.keys(endpoint.fails)
        .filter((status) => !/^(304|[45]\d\d)$/.test(status))
        .map((status) => `${endpoint.route}: ${status}`),
    )
    expect(odd).toEqual([])
  })
})

describe('every ability', () => {
  it('is in exactly one policy if an endpoint requires it', () => {
    const used = [
      ...new Set(endpoints.flatMap((endpoint) => (typeof endpoint.can === 'string' ? [] : [endpoint.can]))),
    ]
    const homes = used.map((ability) => [ability.name, abilities.filter((item) => item === ability).length])
    expect(homes.filter(([, count]) => count !== 1)).toEqual([])
  })

  it('has a unique name for its owner, and belongs to the owner of its routes', () => {
    const names = abilities.map((ability) => `${ability.scope} ${ability.name}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    const foreign = endpoints.filter(
      (endpoint) => typeof endpoint.can !== 'string' && endpoint.can.scope !== endpoint.scope?.name,
    )
    expect(foreign.map((endpoint) => endpoint.route)).toEqual([])
  })
})

const generated = Object.entries(await generatedFiles())

describe('every generated file', () => {
  it.each(generated)('is fresh: %s', (path, text) => {
    expect(
      readFileSync(new URL(`../${path}`, import.meta.url), 'utf8') === text ? 'fresh' : 'run npm run gen',
    ).toBe('fresh')
  })
})

/** Endpoints with another status in the contract than their ability predicts, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'POST /projects/:id/access_requests': 'members already have access',
  'DELETE /projects/:id/access_requests/:user_id':
    'the requests of others are limited to users who manage members',
  'DELETE /groups/:id/access_requests/:user_id':
    'the requests of others are limited to users who manage members',
  'POST /groups/:id/share': 'the invited group does not exist, which has the same error as a missing group',
  'GET /users/:id/associations_count': 'the counts of other users are limited to administrators',
  'POST /-/profile/personal_access_tokens': 'a token may not create tokens; only the window may',
  'GET /projects/:id/access_tokens': 'returns 401 to users who see the project but may not manage tokens',
  'GET /projects/:id/access_tokens/:token_id': 'the same',
  'POST /projects/:id/access_tokens/:token_id/rotate': 'the same',
  'GET /groups/:id/access_tokens': 'the same for a group',
  'GET /groups/:id/access_tokens/:token_id': 'the same',
  'POST /groups/:id/access_tokens/:token_id/rotate': 'the same',
  'DELETE /projects/:id/environments/review_apps':
    'returns 401 to users who see environments but may not delete them',
  'POST /-/profile/chat_names': 'a token may not connect a chat; only the window may',
  'PUT /-/profile/password': 'a token may not change the password; only the window may',
  'POST /-/session/admin': 'the scope of a token decides about admin mode; only the window enters it',
  'DELETE /-/session/admin': 'the scope of a token decides about admin mode; only the window enters it',
  'POST /-/terms/acceptance': 'a token may not accept the terms; only the window may',
  'GET /-/oauth/authorization': 'a token may not grant itself more; only the window may',
  'POST /-/oauth/authorization': 'a token may not grant itself more; only the window may',
  'POST /personal_access_tokens/:id/rotate': "returns 401 for another user's token and for a missing one",
  'GET /personal_access_tokens/:id': "returns 401 for another user's token and for a missing one",
  'DELETE /personal_access_tokens/:id': "returns 401 for another user's token and for a missing one",
  'POST /projects/:id/import_project_members/:project_id': 'the other project does not exist',
  'PUT /projects/:id/releases/:tag_name': 'returns 403 to everybody for a missing release',
  'DELETE /projects/:id/releases/:tag_name': 'the same',
  'POST /user/runners': 'depends on the owner of the runner; instance runners are limited to administrators',
}

/** Endpoints with a sentence of the contract as the body of their 403. */
const NO_PUSH = '{"message":"403 Forbidden - You are not allowed to push into this branch"}'
const REFUSALS: Record<string, string> = {
  'POST /projects/:id/repository/commits': NO_PUSH,
  'POST /projects/:id/repository/commits/:sha/cherry_pick': NO_PUSH,
  'POST /projects/:id/repository/commits/:sha/revert': NO_PUSH,
}

/** The expected results of a user's request. */
type Verdict = 401 | 403 | 404 | 'pass'

interface Requester {
  who: string
  user: TestUser | null
  level: number
}

describe('the permission matrix', () => {
  let w: World
  let admin: TestUser
  let stranger: TestUser
  /** One user for each level. Their memberships are created on demand. */
  const member = new Map<number, TestUser>()
  beforeAll(async () => {
    w = await world()
    // The requests must not leave this machine.
    w.ctx().db.exec(
      'UPDATE application_settings SET changes = ?',
      '{"deny_all_requests_except_allowed":true}',
    )
    admin = w.make.user({ admin: true })
    stranger = w.make.user()
    for (const level of [GUEST, 20, 30, 40, OWNER]) member.set(level, w.make.user())
  })

  const actorOf = ({ user, who }: Requester): Actor =>
    user === null
      ? anonymous
      : ({
          kind: 'user',
          id: user.id,
          username: user.username,
          name: '',
          email: '',
          is_admin: who === 'admin',
          external: false,
          scopes: null,
          via: 'token',
        } satisfies UserActor)

  function predict(endpoint: Endpoint, who: Requester, visibility: Visibility, owner: unknown): Verdict {
    const refusal = typeof endpoint.can === 'string' ? undefined : endpoint.can.refusal
    const refused =
      who.user === null || refusal === 'unauthorized' ? 401 : refusal === 'not_found' ? 404 : 403
    const isAdmin = who.who === 'admin'
    // Writes that require a user return 401 before the owner is looked up.
    if (who.user === null && endpoint.method !== 'GET' && endpoint.can !== 'anyone') return 401
    if (who.user === null && typeof endpoint.can !== 'string' && endpoint.can.signedIn) return 401
    const isOpen = visibility === 'public' || (visibility === 'internal' && who.user !== null)
    if (endpoint.scope && !isAdmin && !isOpen && who.level === 0) return 404
    if (endpoint.can === 'anyone') return 'pass'
    if (endpoint.can === 'signed_in') return who.user ? 'pass' : refused
    if (endpoint.can === 'admin') return isAdmin ? 'pass' : refused
    if (endpoint.can.when && !endpoint.can.when(actorOf(who), owner)) return refused
    const feature = endpoint.can.feature ? endpoint.scope!.feature?.(owner, endpoint.can.feature) : 'enabled'
    if (feature === 'disabled') return refused
    const byOpenness = endpoint.can.public === true && feature === 'enabled' && isOpen
    return isAdmin || byOpenness || who.level >= endpoint.can.from ? 'pass' : refused
  }

  /** The result of a request for an outside observer. */
  function verdictOf(endpoint: Endpoint, answer: { status: number; text: string }): Verdict | string {
    const { status, text } = answer
    if (status >= 500) return `${status} ${text}`
    if (status === 401) return 401
    if (status === 403 && text === (REFUSALS[endpoint.route] ?? '{"message":"403 Forbidden"}')) return 403
    return status === 404 && text === `{"message":"404 ${endpoint.scope?.title} Not Found"}` ? 404 : 'pass'
  }

  /** Groups of each visibility with a member of each level. Owners below them inherit these members. */
  const homes = new Map<Visibility, { id: number }>()
  async function homeOf(visibility: Visibility): Promise<{ id: number }> {
    const known = homes.get(visibility)
    if (known) return known
    const home = await w.make.group({ visibility })
    for (const [level, user] of member) await w.make.member('groups', home.id, user, level)
    homes.set(visibility, home)
    return home
  }

  const owners: Record<string, (visibility: Visibility) => Promise<{ id: number }>> = {
    project: async (visibility) =>
      w.make.project({ visibility, namespace_id: (await homeOf(visibility)).id }),
    group: async (visibility) => w.make.group({ visibility, parent_id: (await homeOf(visibility)).id }),
  }

  function everybody(endpoint: Endpoint): Requester[] {
    const strangers = [
      { who: 'anonymous', user: null, level: 0 },
      { who: 'stranger', user: stranger, level: 0 },
      { who: 'admin', user: admin, level: 0 },
    ]
    if (typeof endpoint.can === 'string') return strangers
    const { from } = endpoint.can
    const levels = [GUEST, 20, 30, 40, OWNER].filter((level) => level <= from).slice(-2)
    return [
      ...strangers,
      ...levels.map((level) => ({ who: `level ${level}`, user: member.get(level)!, level })),
    ]
  }

  /** Owners that were only read, by their kind and visibility. Later reads use them again. */
  const unspoilt = new Map<string, { id: number }>()

  /** Returns an unchanged owner with a member of each level. */
  async function ownerFor(endpoint: Endpoint, visibility: Visibility): Promise<{ id: number } | undefined> {
    const { scope } = endpoint
    if (!scope) return undefined
    const key = `${scope.name} ${visibility}`
    const left = unspoilt.get(key)
    if (endpoint.method !== 'GET') unspoilt.delete(key)
    if (left) return left
    const owner = await owners[scope.name]!(visibility)
    if (endpoint.method === 'GET') unspoilt.set(key, owner)
    return owner
  }

  /** A token of a user, or a new one if the request changes tokens or accounts. */
  const tokens = new Map<number, string>()
  function tokenOf(user: TestUser, endpoint: Endpoint): string {
    const known = endpoint.scope && tokens.get(user.id)
    if (known) return known
    const made = w.make.token(user, ['api'])
    if (endpoint.scope) tokens.set(user.id, made)
    return made
  }

  /** Checks one row of the matrix: every user and one endpoint, on an owner of one visibility. */
  async function row(endpoint: Endpoint, visibility: Visibility): Promise<string[]> {
    const wrong: string[] = []
    let owner: { id: number } | undefined
    for (const requester of everybody(endpoint)) {
      owner ??= await ownerFor(endpoint, visibility)
      const token = requester.user && tokenOf(requester.user, endpoint)
      const expected = predict(
        endpoint,
        requester,
        visibility,
        owner && endpoint.scope!.load(w.ctx(), String(owner.id)),
      )
      const answer = await ask(w.url, endpoint, {
        address: addressOf(endpoint, owner ? { [endpoint.scope!.param]: owner.id } : {}),
        params: leastParams(endpoint),
        headers: token ? { 'private-token': token } : {},
      })
      const seen = endpoint.can === 'anyone' && answer.status < 500 ? 'pass' : verdictOf(endpoint, answer)
      // A write must not affect the next user, so it needs a new owner; a refused request changed nothing.
      if (endpoint.method !== 'GET' && answer.status < 300) owner = undefined
      const received = `${answer.status} ${answer.text.slice(0, 120)}`
      // A developer has the ability, but the protection of the branch refuses with the same sentence.
      if (seen === 403 && expected === 'pass' && endpoint.route === 'POST /projects/:id/repository/commits')
        continue
      const isExcused = endpoint.route in EXCEPTIONS && (seen === 401 || seen === 403 || seen === 404)
      if (seen !== expected && !isExcused)
        wrong.push(`${endpoint.route} (${visibility}) as ${requester.who}: ${expected}, but ${received}`)
    }
    // If every request was refused, the owner is unchanged.
    if (owner && endpoint.scope) unspoilt.set(`${endpoint.scope.name} ${visibility}`, owner)
    return wrong
  }

  const slice = sliceOf(endpoints, (endpoint) => endpoint.route)
  it.each(slice.map((endpoint) => [endpoint.route, endpoint] as const))(
    `holds for %s (seed ${seed})`,
    async (_, endpoint) => {
      const visibilities: Visibility[] = endpoint.scope ? ['private', 'internal', 'public'] : ['private']
      const wrong: string[] = []
      for (const visibility of visibilities) wrong.push(...(await row(endpoint, visibility)))
      expect(wrong).toEqual([])
    },
  )
})
