import { readFileSync } from 'node:fs'

import { beforeAll, describe, expect, it } from 'vitest'

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

const endpoints = domains.flatMap((one) => one.endpoints)
const policies = import.meta.glob<Record<string, Record<string, Ability>>>('../server/domains/**/policy.ts', {
  eager: true,
})
/** A policy may also export kinds of owners; an ability has the level from which people hold it. */
const abilities = Object.values(policies)
  .flatMap((module) => Object.values(module).flatMap((rules) => Object.values(rules)))
  .filter((one) => typeof one === 'object' && 'from' in one)

describe('every declaration', () => {
  it('has a summary, and describes its parameters', () => {
    const silent = endpoints.flatMap((one) => [
      ...(/^[A-Z].{5,}[^.]$/.test(one.summary) ? [] : [`${one.route}: summary`]),
      ...Object.entries(validatorOf(one).shape)
        .filter(([, type]) => !jsonSchemaOf(type)['description'])
        .map(([name]) => `${one.route}: ${name}`),
    ])
    expect(silent).toEqual([])
  })

  it('knows every parameter of its path', () => {
    const unknown = endpoints.flatMap((one) =>
      pathNames(one)
        .filter((name) => name !== one.scope?.param && !(name in one.params))
        .map((name) => `${one.route}: ${name}`),
    )
    expect(unknown).toEqual([])
  })

  it('has parameters of known types', () => {
    const untyped = endpoints.flatMap((one) =>
      Object.entries(validatorOf(one).shape)
        .filter(([, type]) => jsonSchemaOf(type)['type'] === undefined)
        .map(([name]) => `${one.route}: ${name}`),
    )
    expect(untyped).toEqual([])
  })

  it('names only its own parameters in rules', () => {
    const foreign = endpoints.flatMap((one) =>
      one.parameterRules.flatMap((rule) =>
        rule.names.filter((name) => !(name in one.params)).map((name) => `${one.route}: ${name}`),
      ),
    )
    expect(foreign).toEqual([])
  })

  it('names its owner in its path', () => {
    const lost = endpoints.filter((one) => one.scope && !pathNames(one).includes(one.scope.param))
    expect(lost.map((one) => one.route)).toEqual([])
  })

  it('answers alone: no two have one route', () => {
    expect(() => new RouteTable(endpoints)).not.toThrow()
  })

  it('names refusals by their status', () => {
    const odd = endpoints.flatMap((one) =>
      Object.keys(one.fails)
        .filter((status) => !/^(304|[45]\d\d)$/.test(status))
        .map((status) => `${one.route}: ${status}`),
    )
    expect(odd).toEqual([])
  })
})

describe('every ability', () => {
  it('that is asked for is in exactly one policy', () => {
    const used = [...new Set(endpoints.flatMap((one) => (typeof one.can === 'string' ? [] : [one.can])))]
    const homes = used.map((ability) => [ability.name, abilities.filter((one) => one === ability).length])
    expect(homes.filter(([, count]) => count !== 1)).toEqual([])
  })

  it('has a name of its own on its owner, and belongs to the owner of its routes', () => {
    const names = abilities.map((one) => `${one.scope} ${one.name}`)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
    const foreign = endpoints.filter(
      (one) => typeof one.can !== 'string' && one.can.scope !== one.scope?.name,
    )
    expect(foreign.map((one) => one.route)).toEqual([])
  })
})

describe('every generated file', () => {
  it.each(Object.entries(generatedFiles()))('is fresh: %s', (path, text) => {
    expect(
      readFileSync(new URL(`../${path}`, import.meta.url), 'utf8') === text ? 'fresh' : 'run npm run gen',
    ).toBe('fresh')
  })
})

/** Where the contract asks for another answer than the ability predicts, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'POST /projects/:id/access_requests': 'members have access already',
  'DELETE /projects/:id/access_requests/:user_id': 'the requests of others are for who manages members',
  'DELETE /groups/:id/access_requests/:user_id': 'the requests of others are for who manages members',
  'POST /groups/:id/share':
    'the group to invite is not there, which is said in the words for the group itself',
  'GET /users/:id/associations_count': 'of others, for administrators only',
  'POST /-/profile/personal_access_tokens': 'a token may not make tokens: only the window may',
  'GET /projects/:id/access_tokens': 'returns 401 to who sees the project but may not',
  'GET /projects/:id/access_tokens/:token_id': 'the same',
  'POST /projects/:id/access_tokens/:token_id/rotate': 'the same',
  'GET /groups/:id/access_tokens': 'the same of a group',
  'GET /groups/:id/access_tokens/:token_id': 'the same',
  'POST /groups/:id/access_tokens/:token_id/rotate': 'the same',
  'DELETE /projects/:id/environments/review_apps':
    'returns 401 to who sees environments but may not delete them',
  'POST /-/profile/chat_names': 'a token may not connect a chat: only the window may',
  'PUT /-/profile/password': 'a token may not change the password: only the window may',
  'POST /-/session/admin': 'a token says by its scope what it may administer: only the window asks',
  'DELETE /-/session/admin': 'a token says by its scope what it may administer: only the window asks',
  'POST /-/terms/acceptance': 'a token may not accept the terms: only the window may',
  'GET /-/oauth/authorization': 'a token may not give itself more: only the window may',
  'POST /-/oauth/authorization': 'a token may not give itself more: only the window may',
  'POST /personal_access_tokens/:id/rotate': "another user's token is 401, also when it does not exist",
  'GET /personal_access_tokens/:id': "another user's token is 401, also when it does not exist",
  'DELETE /personal_access_tokens/:id': "another user's token is 401, also when it does not exist",
  'POST /projects/:id/import_project_members/:project_id': 'the other project is not there',
  'PUT /projects/:id/releases/:tag_name': 'a release that is not there is 403 for everybody',
  'DELETE /projects/:id/releases/:tag_name': 'the same',
  'POST /user/runners': 'whom the runner is for decides; those of the instance are for administrators only',
}

/** Endpoints that say in a sentence of the contract why they refuse. */
const NO_PUSH = '{"message":"403 Forbidden - You are not allowed to push into this branch"}'
const REFUSALS: Record<string, string> = {
  'POST /projects/:id/repository/commits': NO_PUSH,
  'POST /projects/:id/repository/commits/:sha/cherry_pick': NO_PUSH,
  'POST /projects/:id/repository/commits/:sha/revert': NO_PUSH,
}

/** What the rules predict for a user, worked out without the engine. */
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
  /** One user for each level, with memberships made as needed. */
  const member = new Map<number, TestUser>()
  beforeAll(async () => {
    w = await world()
    // What is tried stays on this machine.
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

  function predict(one: Endpoint, who: Requester, visibility: Visibility, owner: unknown): Verdict {
    const refusal = typeof one.can === 'string' ? undefined : one.can.refusal
    const refused =
      who.user === null || refusal === 'unauthorized' ? 401 : refusal === 'not_found' ? 404 : 403
    const isAdmin = who.who === 'admin'
    // Writes that no anonymous caller can make answer 401 before the owner is looked for.
    if (who.user === null && one.method !== 'GET' && one.can !== 'anyone') return 401
    const isOpen = visibility === 'public' || (visibility === 'internal' && who.user !== null)
    if (one.scope && !isAdmin && !isOpen && who.level === 0) return 404
    if (one.can === 'anyone') return 'pass'
    if (one.can === 'signed_in') return who.user ? 'pass' : refused
    if (one.can === 'admin') return isAdmin ? 'pass' : refused
    if (one.can.when && !one.can.when(actorOf(who), owner)) return refused
    const feature = one.can.feature ? one.scope!.feature?.(owner, one.can.feature) : 'enabled'
    if (feature === 'disabled') return refused
    const byOpenness = one.can.public === true && feature === 'enabled' && isOpen
    return isAdmin || byOpenness || who.level >= one.can.from ? 'pass' : refused
  }

  /** How an answer looks from outside. */
  function verdictOf(one: Endpoint, answer: { status: number; text: string }): Verdict | string {
    const { status, text } = answer
    if (status >= 500) return `${status} ${text}`
    if (status === 401) return 401
    if (status === 403 && text === (REFUSALS[one.route] ?? '{"message":"403 Forbidden"}')) return 403
    return status === 404 && text === `{"message":"404 ${one.scope?.title} Not Found"}` ? 404 : 'pass'
  }

  /** Groups of each visibility in which everybody with a level is a member: what is made there inherits them. */
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

  function everybody(one: Endpoint): Requester[] {
    const strangers = [
      { who: 'anonymous', user: null, level: 0 },
      { who: 'stranger', user: stranger, level: 0 },
      { who: 'admin', user: admin, level: 0 },
    ]
    if (typeof one.can === 'string') return strangers
    const { from } = one.can
    const levels = [GUEST, 20, 30, 40, OWNER].filter((level) => level <= from).slice(-2)
    return [
      ...strangers,
      ...levels.map((level) => ({ who: `level ${level}`, user: member.get(level)!, level })),
    ]
  }

  /** Owners that were only read, by their kind and visibility: the next who reads may have them. */
  const unspoilt = new Map<string, { id: number }>()

  /** An owner with everybody on it that nobody changed yet. */
  async function ownerFor(one: Endpoint, visibility: Visibility): Promise<{ id: number } | undefined> {
    const { scope } = one
    if (!scope) return undefined
    const key = `${scope.name} ${visibility}`
    const left = unspoilt.get(key)
    if (one.method !== 'GET') unspoilt.delete(key)
    if (left) return left
    const owner = await owners[scope.name]!(visibility)
    if (one.method === 'GET') unspoilt.set(key, owner)
    return owner
  }

  /** A token of a user; a new one where tokens and accounts themselves are what is changed. */
  const tokens = new Map<number, string>()
  function tokenOf(user: TestUser, one: Endpoint): string {
    const known = one.scope && tokens.get(user.id)
    if (known) return known
    const made = w.make.token(user, ['api'])
    if (one.scope) tokens.set(user.id, made)
    return made
  }

  /** One row of the matrix: everybody against one endpoint on an owner of one visibility. */
  async function row(one: Endpoint, visibility: Visibility): Promise<string[]> {
    const wrong: string[] = []
    let owner: { id: number } | undefined
    for (const requester of everybody(one)) {
      owner ??= await ownerFor(one, visibility)
      const token = requester.user && tokenOf(requester.user, one)
      const expected = predict(
        one,
        requester,
        visibility,
        owner && one.scope!.load(w.ctx(), String(owner.id)),
      )
      const answer = await ask(w.url, one, {
        address: addressOf(one, owner ? { [one.scope!.param]: owner.id } : {}),
        params: leastParams(one),
        headers: token ? { 'private-token': token } : {},
      })
      const seen = one.can === 'anyone' && answer.status < 500 ? 'pass' : verdictOf(one, answer)
      // What was changed for one must not decide over the next; a refusal changed nothing.
      if (one.method !== 'GET' && answer.status < 300) owner = undefined
      const said = `${answer.status} ${answer.text.slice(0, 120)}`
      // A developer has the ability; the protection of the branch, which comes later, has the same sentence.
      if (seen === 403 && expected === 'pass' && one.route === 'POST /projects/:id/repository/commits')
        continue
      const isExcused = one.route in EXCEPTIONS && (seen === 401 || seen === 403 || seen === 404)
      if (seen !== expected && !isExcused)
        wrong.push(`${one.route} (${visibility}) as ${requester.who}: ${expected}, but ${said}`)
    }
    // Whoever refused everybody changed nothing.
    if (owner && one.scope) unspoilt.set(`${one.scope.name} ${visibility}`, owner)
    return wrong
  }

  const slice = sliceOf(endpoints, (one) => one.route)
  it.each(slice.map((one) => [one.route, one] as const))(`holds for %s (seed ${seed})`, async (_, one) => {
    const visibilities: Visibility[] = one.scope ? ['private', 'internal', 'public'] : ['private']
    const wrong: string[] = []
    for (const visibility of visibilities) wrong.push(...(await row(one, visibility)))
    expect(wrong).toEqual([])
  })
})
