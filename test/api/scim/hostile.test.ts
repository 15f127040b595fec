import * as fc from 'fast-check'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { person, provider } from './support.ts'

const { as, make, url } = await world()
const owner = make.user()
const idp = await provider({ as, url } as never, owner, await make.group({ owner }))
await idp.ask('POST', '/Users', person('target'))

const ATTRIBUTES = [
  'id',
  'userName',
  'name.familyName',
  'emails',
  'emails.value',
  'active',
  'meta.created',
  'constructor',
  '__proto__',
  'title',
]
const OPS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']

/** Filters that match the grammar (RFC 7644, 3.4.2.2). */
const { filter } = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .tuple(
        fc.constantFrom(...ATTRIBUTES),
        fc.constantFrom(...OPS),
        fc.oneof(
          fc.string(),
          fc.boolean(),
          fc.integer(),
          fc.constant(null),
          fc.constant('2026-01-01T00:00:00Z'),
        ),
      )
      .map(([name, op, value]) => `${name} ${op} ${JSON.stringify(value)}`),
    fc.constantFrom(...ATTRIBUTES).map((name) => `${name} pr`),
    tie('filter').map((inner) => `not (${inner})`),
    tie('filter').map((inner) => `emails[${inner}]`),
    fc
      .tuple(tie('filter'), fc.constantFrom('and', 'or'), tie('filter'))
      .map(([a, op, b]) => `(${a}) ${op} ${b}`),
  ),
}))

it('SCIM returns a list or the same error for any filter, well-formed or not', async () => {
  const any = fc.oneof({ weight: 3, arbitrary: filter }, fc.string({ maxLength: 60 }))
  await fc.assert(
    fc.asyncProperty(any, async (text) => {
      const answer = await idp.ask('POST', '/Users/.search', { filter: text })
      // Texts that are invalid in any parameter are refused before the filter is parsed.
      expect([200, 400, 412], text).toContain(answer.status)
      const detail = answer.status === 412 ? answer.body.detail : 'Unsupported Filter'
      expect(detail).toBe('Unsupported Filter')
    }),
    { numRuns: 150 },
  )
})

it('SCIM filters support negation', async () => {
  const known = filter.filter((text) => !/title|null|constructor|__proto__|emails\[/.test(text))
  const countOf = async (text: string): Promise<number | undefined> =>
    (await idp.ask('POST', '/Users/.search', { filter: text, count: 0 })).body.totalResults
  const all = await countOf('')
  await fc.assert(
    fc.asyncProperty(known, async (text) => {
      const [found, others] = [await countOf(text), await countOf(`not (${text})`)]
      expect(found === undefined ? all : found + others!, text).toBe(all)
    }),
    { numRuns: 60 },
  )
})

it('SCIM accepts or refuses any body of a user or a change', async () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('True', 'a\0b', 'x@y.example', '__proto__'),
  )
  const user = fc.dictionary(
    fc.constantFrom(
      'externalId',
      'userName',
      'name',
      'emails',
      'active',
      'displayName',
      'schemas',
      '__proto__',
    ),
    value,
  )
  const operation = fc.record(
    {
      op: fc.constantFrom('add', 'Replace', 'remove', 'move', 3),
      path: fc.constantFrom(
        'active',
        'userName',
        'name',
        'name.givenName',
        'emails[type eq "work"].value',
        'x[',
        '',
        null,
      ),
      value,
    },
    { requiredKeys: [] },
  )
  const changes = fc.record({ Operations: fc.oneof(fc.array(operation, { maxLength: 4 }), value) })
  await fc.assert(
    fc.asyncProperty(user, changes, async (sent, patch) => {
      const statuses = [
        (await idp.ask('POST', '/Users', { ...person('other'), ...sent })).status,
        (await idp.ask('PUT', '/Users/uid-target', { ...sent, externalId: 'uid-target', active: true }))
          .status,
        (await idp.ask('PATCH', '/Users/uid-target', patch)).status,
      ]
      for (const status of statuses) expect([200, 201, 204, 400, 404, 409, 412]).toContain(status)
    }),
    { numRuns: 60 },
  )
})
