import { describe, expect, it } from 'vitest'
import { accessLevel, allows } from '../../renderer/composables/useAbility.ts'

const member = (project: number | null, group: number | null = null) => ({
  permissions: {
    project_access: project === null ? null : { access_level: project },
    group_access: group === null ? null : { access_level: group },
  },
})
const rule = (more: object) => ({ scope: 'project', from: 30, ...more })

describe('what a user may do', () => {
  it('takes the higher of the two memberships', () => {
    expect(accessLevel(member(20, 40))).toBe(40)
    expect(accessLevel(member(null))).toBe(0)
    expect(accessLevel({})).toBe(0)
  })

  it('asks for the level of the rule', () => {
    expect(allows(rule({}), member(30), false)).toBe(true)
    expect(allows(rule({}), member(20), false)).toBe(false)
  })

  it('counts an administrator as owner', () => {
    expect(allows(rule({ from: 50 }), member(null), true)).toBe(true)
  })

  it('lets everybody do on a public project what the rule opens to the public', () => {
    expect(allows(rule({ public: true }), { ...member(null), visibility: 'public' }, false)).toBe(true)
    expect(allows(rule({ public: true }), { ...member(null), visibility: 'private' }, false)).toBe(false)
    expect(allows(rule({}), { ...member(null), visibility: 'public' }, false)).toBe(false)
  })

  it('takes the view for visitors, which says neither level nor visibility, as open', () => {
    expect(allows(rule({ public: true }), {}, false)).toBe(true)
    expect(allows(rule({}), {}, false)).toBe(false)
  })

  it('denies everybody what is switched off, administrators too', () => {
    const off = { ...member(50), repository_access_level: 'disabled' }
    expect(allows(rule({ feature: 'repository' }), off, false)).toBe(false)
    expect(allows(rule({ feature: 'repository' }), off, true)).toBe(false)
  })

  it('lets nobody write into what is archived, but read', () => {
    const archived = { ...member(50), archived: true }
    expect(allows(rule({}), archived, false, true)).toBe(false)
    expect(allows(rule({}), archived, true, true)).toBe(false)
    expect(allows(rule({ archived: true }), archived, false, true)).toBe(true)
    expect(allows(rule({}), archived, false, false)).toBe(true)
  })

  it('keeps a feature for members from others', () => {
    const open = { visibility: 'public', repository_access_level: 'private' }
    const read = rule({ from: 10, feature: 'repository', public: true })
    expect(allows(read, { ...member(null), ...open }, false)).toBe(false)
    expect(allows(read, { ...member(10), ...open }, false)).toBe(true)
  })
})
