import { beforeEach, describe, expect, it } from 'vitest'

import { projectById } from '../../../server/domains/projects/index.ts'
import { refusalOf } from '../../../server/domains/repository/index.ts'
import type { DeployKeyActor } from '../../../server/policy/actor.ts'
import { ed25519Key } from '../users/keys/samples.ts'
import { world } from '../../support/world.ts'
import { fill, onDisk } from './fill.ts'

const instance = await world()
const { as, make } = instance
const maintainer = make.user({ username: 'maintainer' })
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
let sha: string
let key: { id: number; title: string }

beforeEach(async () => {
  project = await make.project()
  await make.member('projects', project.id, maintainer, 40)
  ;[sha] = fill(instance, project, [{ files: { 'a.txt': 'a\n' } }]) as [string]
  key = await addKey(true)
})

async function addKey(can_push: boolean) {
  const { body } = await as(maintainer).post(`/projects/${project.id}/deploy_keys`, {
    title: 'Robot',
    key: ed25519Key('robot@host'),
    can_push,
  })
  return body
}

/** The errors of the rules for a push with a key. */
function push(by: { id: number }, ref: string, old: string | null = null) {
  const ctx = instance.ctx()
  const actor: DeployKeyActor = {
    kind: 'deploy_key',
    // An administrator added these keys. The rights of the administrator do not apply to them.
    id: instance.root.id,
    key_id: by.id,
    is_admin: false,
    external: true,
    scopes: null,
  }
  return refusalOf({
    ctx: { ...ctx, actor },
    project: projectById(ctx.db, project.id)!,
    repo: onDisk(instance, project),
    source: 'push',
    changes: [{ ref, old, new: sha }],
  })
}

const protect = (name: string, more: object = {}, kind = 'branches') =>
  as(maintainer).post(`/projects/${project.id}/protected_${kind}`, { name, ...more })

describe('a deploy key with write access', () => {
  it('pushes to unprotected refs', async () => {
    expect(await push(key, 'refs/heads/work')).toBeUndefined()
    expect(await push(key, 'refs/tags/v1')).toBeUndefined()
  })

  it('passes a protection only if an entry names it', async () => {
    const other = await addKey(true)
    await protect('closed', { push_access_level: 30 })
    expect(await push(key, 'refs/heads/closed', sha)).toContain(
      'not allowed to push code to protected branches',
    )
    const made = await protect('open', { allowed_to_push: [{ deploy_key_id: key.id }] })
    expect(made.body.push_access_levels).toMatchObject([
      { access_level: null, access_level_description: 'Robot', deploy_key_id: key.id },
    ])
    expect(await push(key, 'refs/heads/open', sha)).toBeUndefined()
    expect(await push(other, 'refs/heads/open', sha)).toContain('not allowed to push')
    await protect('v*', { allowed_to_create: [{ deploy_key_id: key.id }] }, 'tags')
    expect(await push(key, 'refs/tags/v1')).toBeUndefined()
    expect(await push(other, 'refs/tags/v1')).toContain('not allowed to create this tag')
  })

  it('may not make the first push if that is for maintainers', async () => {
    instance.ctx().db.exec('UPDATE projects SET empty_repo = 1 WHERE id = ?', project.id)
    expect(await push(key, 'refs/heads/main')).toContain('A default branch')
  })
})

describe('a deploy key with read access', () => {
  it('cannot be an entry of a protection', async () => {
    const reader = await addKey(false)
    const { status, body } = await protect('main', { allowed_to_push: [{ deploy_key_id: reader.id }] })
    expect([status, body]).toEqual([
      422,
      { message: ['Deploy key is not enabled for this project with write access'] },
    ])
  })
})
