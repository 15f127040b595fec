import { describe, expect, it } from 'vitest'

import {
  changed,
  created,
  draftOf,
  newStrategy,
  problemOf,
} from '../../renderer/views/feature-flags/flag-form.ts'
import { asIds, environmentWords, strategyWords, type Flag } from '../../renderer/views/feature-flags/flag.ts'

const strategy = (fields: Partial<Flag['strategies'][number]>): Flag['strategies'][number] => ({
  id: 1,
  name: 'default',
  parameters: {},
  scopes: [],
  user_list: null,
  ...fields,
})
const flagOf = (...strategies: Flag['strategies']) => ({ strategies }) as unknown as Flag
const scope = (id: number, environment_scope: string) => ({ id, environment_scope })

describe('the form of a feature flag', () => {
  it('sends no change of untouched strategies', () => {
    const flag = flagOf(
      strategy({
        name: 'flexibleRollout',
        parameters: { groupId: 'own', rollout: '35', stickiness: 'sessionId' },
        scopes: [scope(7, 'production')],
      }),
    )
    expect(changed(flag, flag.strategies.map(draftOf))).toEqual([
      { id: 1, name: 'flexibleRollout', parameters: flag.strategies[0]!.parameters, scopes: [] },
    ])
  })

  it('deletes missing scopes and strategies, and adds new ones', () => {
    const flag = flagOf(strategy({ scopes: [scope(7, 'a'), scope(8, 'b')] }), strategy({ id: 2 }))
    const edited = {
      ...draftOf(flag.strategies[0]!),
      scopes: [
        { id: 8, name: 'b' },
        { id: null, name: 'c' },
      ],
    }
    expect(changed(flag, [edited, newStrategy()])).toEqual([
      { id: 2, _destroy: true },
      {
        id: 1,
        name: 'default',
        parameters: {},
        scopes: [{ id: 7, _destroy: true }, { environment_scope: 'c' }],
      },
      { name: 'default', parameters: {}, scopes: [{ environment_scope: '*' }] },
    ])
  })

  it('accepts pasted users, each once', () => {
    expect(asIds(' a\nb, c\r\n\tb,,')).toBe('a,b,c')
    expect(asIds('\n')).toBe('')
    const draft = { ...newStrategy(), name: 'userWithId' as const, users: 'x\ny y' }
    expect(created([draft])[0]!.parameters).toEqual({ userIds: 'x,y y' })
  })

  it('reports missing values', () => {
    expect(problemOf(newStrategy())).toBeNull()
    expect(problemOf({ ...newStrategy(), share: NaN })).toMatch(/whole number/)
    expect(problemOf({ ...newStrategy(), name: 'serviceUserList' })).toMatch(/list/)
  })
})

describe('the text of a strategy', () => {
  it('names its users and environments', () => {
    expect(strategyWords(strategy({}))).toBe('all users')
    expect(strategyWords(strategy({ name: 'userWithId', parameters: { userIds: 'a,b' } }))).toBe('2 users')
    const rollout = (stickiness: string) =>
      strategyWords(strategy({ name: 'flexibleRollout', parameters: { rollout: '5', stickiness } }))
    expect(['default', 'sessionId', 'random'].map(rollout)).toEqual([
      '5% of users',
      '5% of sessions',
      '5% of requests',
    ])
    expect(environmentWords(strategy({}))).toBe('no environments')
    expect(environmentWords(strategy({ scopes: [scope(1, 'a'), scope(2, '*')] }))).toBe('all environments')
    expect(environmentWords(strategy({ scopes: [scope(1, 'a'), scope(2, 'b/*')] }))).toBe('a, b/*')
  })
})
