import { describe, expect, it } from 'vitest'
import { accessLevel, allows } from '../../renderer/composables/useAbility.ts'

const member = (project: number | null, group: number | null = null) => ({
  permissions: {
    project_access: project === null ? null : { access_level: project },
    group_access: group === null ? null : { access_level: group },
  },
})
const rule = (more: object) => ({ scope: 'project', from: 30, ...more })

describe('the abilities of a user', () => {
  it('depend on the higher of the two access levels', () => {
    expect(accessLevel(member(20, 40))).toBe(40)
    expect(accessLevel(member(null))).toBe(0)
    expect(accessLevel({})).toBe(0)
  })

  it('require the level of the rule', () => {
    expect(allows(rule({}), member(30), false)).toBe(true)
    expect(allows(rule({}), member(20), false)).toBe(false)
  })

  it('include everything for administrators', () => {
    expect(allows(rule({ from: 50 }), member(null), true)).toBe(true)
  })

  it('include public rules on public projects for everybody', () => {
    expect(allows(rule({ public: true }), { ...member(null), visibility: 'public' }, false)).toBe(true)
    expect(allows(rule({ public: true }), { ...member(null), visibility: 'private' }, false)).toBe(false)
    expect(allows(rule({}), { ...member(null), visibility: 'public' }, false)).toBe(false)
  })

  it('include public rules for visitors, who get neither level nor visibility', () => {
    expect(allows(rule({ public: true }), {}, false)).toBe(true)
    expect(allows(rule({}), {}, false)).toBe(false)
  })

  it('include nothing of a disabled feature, also for administrators', () => {
    const off = { ...member(50), repository_access_level: 'disabled' }
    expect(allows(rule({ feature: 'repository' }), off, false)).toBe(false)
    expect(allows(rule({ feature: 'repository' }), off, true)).toBe(false)
  })

  it('include reading but not writing in archived projects', () => {
    const archived = { ...member(50), archived: true }
    expect(allows(rule({}), archived, false, true)).toBe(false)
    expect(allows(rule({}), archived, true, true)).toBe(false)
    expect(allows(rule({ archived: true }), archived, false, true)).toBe(true)
    expect(allows(rule({}), archived, false, false)).toBe(true)
  })

  it('exclude a feature for members from others', () => {
    const open = { visibility: 'public', repository_access_level: 'private' }
    const read = rule({ from: 10, feature: 'repository', public: true })
    expect(allows(read, { ...member(null), ...open }, false)).toBe(false)
    expect(allows(read, { ...member(10), ...open }, false)).toBe(true)
  })
})
