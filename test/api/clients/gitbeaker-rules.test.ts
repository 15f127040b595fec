import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'
import { fill } from '../repository/fill.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
const project = await here.make.project()
const [sha] = fill(here, project, [{ files: { 'a.txt': 'a\n' } }]) as [string]
const developer = here.make.user({ username: 'developer' })
await here.make.member('projects', project.id, developer, 30)

it('Gitbeaker protects branches and tags', async () => {
  const made = await api.ProtectedBranches.create(project.id, 'release/*', {
    allowedToPush: [{ userId: developer.id }],
    mergeAccessLevel: 30,
    codeOwnerApprovalRequired: true,
  } as never)
  expect(made).toMatchObject({
    name: 'release/*',
    push_access_levels: [{ user_id: developer.id }],
    merge_access_levels: [{ access_level: 30 }],
    code_owner_approval_required: true,
  })
  expect(await api.ProtectedBranches.all(project.id)).toHaveLength(1)
  expect(await api.ProtectedBranches.show(project.id, 'release/*')).toMatchObject({ name: 'release/*' })
  const edited = await api.ProtectedBranches.edit(project.id, 'release/*', { allowForcePush: true } as never)
  expect(edited).toMatchObject({ allow_force_push: true })
  await api.ProtectedBranches.remove(project.id, 'release/*')
  expect(await api.ProtectedBranches.all(project.id)).toEqual([])
  await api.ProtectedTags.create(project.id, 'v*', { createAccessLevel: 30 } as never)
  expect(await api.ProtectedTags.show(project.id, 'v*')).toMatchObject({
    create_access_levels: [{ access_level: 30 }],
  })
  await api.ProtectedTags.remove(project.id, 'v*')
  expect(await api.ProtectedTags.all(project.id)).toEqual([])
})

it('Gitbeaker sends protection entries as a form', async () => {
  const response = await here
    .as(here.root)
    .post(
      `/projects/${project.id}/protected_branches?name=form&allowed_to_push%5B%5D%5Buser_id%5D=${developer.id}&allowed_to_push%5B%5D%5Baccess_level%5D=40`,
    )
  // Two keys of one entry name two users; a repeated key begins the next entry.
  expect(response.status).toBe(400)
  const two = `allowed_to_push%5B%5D%5Baccess_level%5D=40&allowed_to_push%5B%5D%5Baccess_level%5D=60`
  const made = await here.as(here.root).post(`/projects/${project.id}/protected_branches?name=form&${two}`)
  expect(made.body.push_access_levels.map((level: never) => level['access_level'])).toEqual([40, 60])
})

it('Gitbeaker comments on commits, starts discussions and sets commit statuses', async () => {
  await api.Commits.createComment(project.id, sha, 'Nice', {
    path: 'a.txt',
    line: 1,
    lineType: 'new',
  } as never)
  expect(await api.Commits.allComments(project.id, sha)).toMatchObject([
    { note: 'Nice', path: 'a.txt', line: 1, line_type: 'new' },
  ])
  const started = await api.CommitDiscussions.create(project.id, sha, 'Why?')
  const answer = await api.CommitDiscussions.addNote(project.id, sha, started.id, 'So')
  expect(answer).toMatchObject({ body: 'So' })
  await api.CommitDiscussions.editNote(project.id, sha, started.id, answer.id, { body: 'Because' })
  expect(await api.CommitDiscussions.show(project.id, sha, started.id)).toMatchObject({
    notes: [{ body: 'Why?' }, { body: 'Because' }],
  })
  await api.CommitDiscussions.removeNote(project.id, sha, started.id, answer.id)
  expect(await api.CommitDiscussions.all(project.id, sha)).toHaveLength(2)
  await api.Commits.editStatus(project.id, sha, 'success', { context: 'ci' } as never)
  expect(await api.Commits.allStatuses(project.id, sha)).toMatchObject([{ name: 'ci', status: 'success' }])
})
