import { describe, expect, it } from 'vitest'

import {
  projectById,
  repoOf,
  transferProject,
  updateProject,
} from '../../../server/domains/projects/index.ts'
import { readHead } from '../../../server/git/upkeep/repository.ts'
import { world } from '../../support/world.ts'
import { isOfSubscriber } from '../../support/subscribers.ts'

const { as, root, make, ctx, url, drain } = await world()
const owner = make.user({ username: 'owner' })
const maintainer = make.user()
const stranger = make.user({ username: 'stranger' })
const crew = await make.group({ owner, name: 'Crew', path: 'crew', visibility: 'internal' })
const other = await make.group({ owner, name: 'Other', path: 'other', visibility: 'public' })
const foreign = await make.group({ owner: stranger, path: 'foreign', name: 'Foreign', visibility: 'public' })
const hidden = await make.group({ owner: stranger, path: 'hidden', name: 'Hidden' })
const moved = (id: number, namespace: unknown, user = owner) =>
  as(user).put(`/projects/${id}/transfer`, { namespace })
const failed = (sentence: string) => ({
  message: `Failed to transfer project {:new_namespace=>["${sentence}"]}`,
})

describe('PUT /projects/:id/transfer', () => {
  it('moves a project, keeps its folder, and redirects the old address', async () => {
    const { id } = await make.project({ owner, name: 'Tool', visibility: 'public', with: 'readme' })
    const { disk_path } = projectById(ctx().db, id)!
    // Background jobs of the first commit publish events, too.
    await drain()
    const received: unknown[] = []
    const stop = ctx().events.watch((name, payload) => isOfSubscriber(name) || received.push([name, payload]))
    const { status, body } = await moved(id, crew.id)
    stop()
    expect(status).toBe(200)
    // The visibility is lowered to that of the group.
    expect(body).toMatchObject({ path_with_namespace: 'crew/tool', visibility: 'internal' })
    expect(body).not.toHaveProperty('owner')
    expect(projectById(ctx().db, id)!.disk_path).toBe(disk_path)
    expect(received).toEqual([
      [
        'project.transferred',
        {
          project_id: id,
          actor_id: owner.id,
          old_path_with_namespace: 'owner/tool',
          path_with_namespace: 'crew/tool',
          old_namespace_id: expect.any(Number),
          namespace_id: crew.id,
        },
      ],
    ])
    const left = await as(owner).get('/projects/owner%2Ftool/repository/branches')
    expect([left.status, left.headers.get('location')]).toEqual([
      301,
      `${url}/api/v4/projects/${id}/repository/branches`,
    ])
    expect((await as(owner).get('/projects/crew%2Ftool/repository/files/README.md?ref=main')).status).toBe(
      200,
    )
    // By path, and back to the personal namespace, where the owner is a member.
    expect((await moved(id, 'OTHER')).body.path_with_namespace).toBe('other/tool')
    expect((await moved(id, 'owner')).body).toMatchObject({
      path_with_namespace: 'owner/tool',
      owner: { username: 'owner' },
    })
    expect((await as(owner).get('/projects/owner%2Ftool')).status).toBe(200)
    const members = (await as(owner).get(`/projects/${id}/members`)).body
    expect(members.map((member: { id: number }) => member.id)).toEqual([owner.id])
  })

  it('ends the redirect if another project takes the address', async () => {
    const first = await make.project({ owner, name: 'Same' })
    await moved(first.id, crew.id)
    const second = await make.project({ owner, name: 'Same' })
    expect((await as(owner).get('/projects/owner%2Fsame')).body.id).toBe(second.id)
  })

  it('refuses invalid targets', async () => {
    const { id } = await make.project({ owner, name: 'Stays' })
    const taken = await make.project({ owner, name: 'Stays', namespace_id: crew.id })
    await make.group({ owner, name: 'Inner', path: 'stays', parent_id: other.id })
    const cases: [unknown, number, object][] = [
      ['owner', 400, failed('Project is already in this namespace.')],
      [crew.id, 400, failed('Project with same name or path in target namespace already exists')],
      [other.id, 400, failed('Project with same name or path in target namespace already exists')],
      ['foreign', 400, failed("You don't have permission to transfer projects into that namespace.")],
      [foreign.id, 400, failed("You don't have permission to transfer projects into that namespace.")],
      [hidden.id, 404, { message: '404 Namespace Not Found' }],
      ['stranger', 404, { message: '404 Namespace Not Found' }],
      ['nowhere', 404, { message: '404 Namespace Not Found' }],
      [undefined, 400, { error: 'namespace is missing' }],
    ]
    for (const [namespace, status, body] of cases) {
      const answer = await moved(id, namespace)
      expect([namespace, answer.status, answer.body]).toEqual([namespace, status, body])
    }
    expect(taken.id).not.toBe(id)
  })

  it('is not reverted by a concurrent update', async () => {
    const { id } = await make.project({ owner, name: 'Both at once', with: 'readme' })
    await as(owner).post(`/projects/${id}/repository/branches`, { branch: 'next', ref: 'main' })
    const project = projectById(ctx().db, id)!
    // The update runs until it reads the branch from git, and the transfer before it continues.
    const change = updateProject(ctx(), project, { default_branch: 'next', visibility: 'public' })
    transferProject(ctx(), project, String(crew.id))
    await expect(change).rejects.toMatchObject({
      kind: 'bad_request',
      detail: { visibility_level: ['public is not allowed in a internal group.'] },
    })
    // The refused update did not change the repository.
    expect(await readHead(repoOf(ctx(), project))).toBe('refs/heads/main')
    expect((await as(owner).get(`/projects/${id}`)).body.visibility).toBe('private')
  })

  it('is limited to owners, archived or not', async () => {
    const { id } = await make.project({ owner, name: 'Archived' })
    await make.member('projects', id, maintainer, 40)
    expect((await moved(id, crew.id, maintainer)).status).toBe(403)
    expect((await moved(id, crew.id, stranger)).status).toBe(404)
    await as(owner).post(`/projects/${id}/archive`)
    expect((await moved(id, crew.id)).status).toBe(200)
  })
})

describe('GET /projects/:id/transfer_locations', () => {
  it('lists the groups that the project can move to', async () => {
    const { id } = await make.project({ owner, name: 'Where to' })
    await as(owner).put(`/groups/${other.id}`, { project_creation_level: 'maintainer' })
    const paths = async (user: typeof owner, query = '') =>
      (await as(user).get(`/projects/${id}/transfer_locations${query}`)).body.map(
        (group: { full_path: string }) => group.full_path,
      )
    expect(await paths(owner)).toEqual(['crew', 'other', 'other/stays'])
    expect(await paths(owner, '?search=CRE')).toEqual(['crew'])
    expect(await paths(root)).toContain('hidden')
    await as(owner).put(`/groups/${other.id}`, { project_creation_level: 'noone' })
    expect(await paths(owner)).toEqual(['crew', 'other/stays'])
    await make.member('projects', id, maintainer, 40)
    expect((await as(maintainer).get(`/projects/${id}/transfer_locations`)).status).toBe(403)
  })
})
