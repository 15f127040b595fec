import { beforeAll, describe, expect, it } from 'vitest'

import { variablesFor, type VariableUse } from '../../../server/domains/ci/variables/service.ts'
import { projectById } from '../../../server/domains/projects/index.ts'
import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const outer = await here.make.group()
const inner = await here.make.group({ parent_id: outer.id })
const project = await here.make.project({ namespace_id: inner.id })

const AT = {
  instance: '/admin/ci/variables',
  outer: `/groups/${outer.id}/variables`,
  inner: `/groups/${inner.id}/variables`,
  project: `/projects/${project.id}/variables`,
}

function valuesFor(use: VariableUse): Record<string, string> {
  const ctx = here.ctx()
  const all = variablesFor(ctx, projectById(ctx.db, project.id)!, use)
  return Object.fromEntries(all.map(({ key, value }) => [key, value]))
}

beforeAll(async () => {
  const set = async (owner: keyof typeof AT, key: string, more: object = {}) => {
    const value = `${owner}${Object.values(more).join()}`
    expect((await root.post(AT[owner], { key, value, ...more })).status).toBe(201)
  }
  // Created with the nearest first, so that the order of creation does not decide.
  for (const owner of ['project', 'inner', 'outer', 'instance'] as const) {
    await set(owner, 'FOUR')
    if (owner !== 'project') await set(owner, 'THREE')
    if (owner === 'outer' || owner === 'instance') await set(owner, 'TWO')
  }
  await set('instance', 'ONE')
  for (const environment_scope of ['review/app', '*', 'review/*', 'r*', 'other'])
    await set('project', 'SCOPED', { environment_scope })
  await set('outer', 'SCOPED')
  await set('project', 'GUARDED', { protected: true })
  await set('inner', 'GUARDED')
  await set('project', 'ONLY', { environment_scope: 'review/*' })
  const file = { variable_type: 'file', masked: true, raw: true, value: 'maskable-value' }
  await root.post(AT.project, { key: 'FILE', ...file })
})

describe('the variable value for a pipeline', () => {
  it('is the nearest one: project, inner group, outer group, instance', () => {
    expect(valuesFor({ isProtected: false })).toMatchObject({
      ONE: 'instance',
      TWO: 'outer',
      THREE: 'inner',
      FOUR: 'project',
    })
  })

  it('is the one with the most specific environment scope', () => {
    const scoped = (environment?: string) => valuesFor({ isProtected: false, environment })['SCOPED']
    expect(scoped('review/app')).toBe('projectreview/app')
    expect(scoped('review/else')).toBe('projectreview/*')
    expect(scoped('rest')).toBe('projectr*')
    expect(scoped('production')).toBe('project*')
    expect(scoped()).toBe('project*')
    expect(valuesFor({ isProtected: false })).not.toHaveProperty('ONLY')
  })

  it('is a protected one on protected refs only, and overrides no other elsewhere', () => {
    expect(valuesFor({ isProtected: true })['GUARDED']).toBe('projecttrue')
    expect(valuesFor({ isProtected: false })['GUARDED']).toBe('inner')
  })

  it('comes with the flags of its variable: file, masked and raw', () => {
    const ctx = here.ctx()
    const all = variablesFor(ctx, projectById(ctx.db, project.id)!, { isProtected: false })
    const file = { key: 'FILE', value: 'maskable-value', isFile: true, isMasked: true, isRaw: true }
    expect(all.find(({ key }) => key === 'FILE')).toEqual(file)
    expect(all.find(({ key }) => key === 'ONE')).toMatchObject({
      isFile: false,
      isMasked: false,
      isRaw: false,
    })
  })

  it('is deleted with its group or project', async () => {
    await root.put('/application/settings', {
      delayed_group_deletion: false,
      delayed_project_deletion: false,
    })
    await root.delete(`/groups/${outer.id}`)
    const left = here.ctx().db.many<{ key: string }>('SELECT key FROM ci_variables ORDER BY key')
    expect(left.map(({ key }) => key)).toEqual(['FOUR', 'ONE', 'THREE', 'TWO'])
  })
})
