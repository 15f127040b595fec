import { Gitlab } from '@gitbeaker/rest'
import { expect, it } from 'vitest'

import { world } from '../../support/world.ts'

// Runs an unmodified client against a real instance.
const here = await world()
const api = new Gitlab({ host: here.url, token: here.root.token })
await here
  .as(here.root)
  .put('/application/settings', { allow_local_requests_from_web_hooks_and_services: true })
const { host } = new URL(here.url)
const at = (path: string) => `http://root:${here.root.token}@${host}/root/${path}.git`

it('@gitbeaker/rest creates, updates and deletes a push mirror', async () => {
  const project = await api.Projects.create({ name: 'River', initializeWithReadme: true })
  const copy = await api.Projects.create({ name: 'Delta' })
  const made = await api.ProjectRemoteMirrors.createPushMirror(project.id, at('delta'), {
    enabled: true,
    keepDivergentRefs: true,
  })
  expect(made).toMatchObject({ enabled: true, url: `http://*****:*****@${host}/root/delta.git` })
  await api.ProjectRemoteMirrors.sync(project.id, made.id)
  await here.drain()
  const shown = await api.ProjectRemoteMirrors.show(project.id, made.id)
  expect(shown).toMatchObject({ update_status: 'finished', last_error: null })
  expect((await api.Branches.all(copy.id)).map((row) => row.name)).toEqual(['main'])
  expect(await api.ProjectRemoteMirrors.all(project.id)).toHaveLength(1)
  await api.ProjectRemoteMirrors.remove(project.id, made.id)
  expect(await api.ProjectRemoteMirrors.all(project.id)).toEqual([])
})

it('@gitbeaker/rest sets up a pull mirror', async () => {
  await api.Projects.create({ name: 'Spring', initializeWithReadme: true })
  const copy = await api.Projects.create({ name: 'Pond' })
  await api.Projects.createPullMirror(copy.id, at('spring'), true)
  await here.drain()
  expect(await api.Projects.showPullMirror(copy.id)).toMatchObject({ update_status: 'finished' })
  expect((await api.Branches.all(copy.id)).map((row) => row.name)).toEqual(['main'])
})

it('the later endpoint accepts user name and password separately', async () => {
  const copy = await here.make.project()
  const put = (params: object) => here.as(here.root).put(`/projects/${copy.id}/mirror/pull`, params)
  expect((await put({ enabled: true })).body).toEqual({ message: { import_url: ["can't be blank"] } })
  expect((await put({ enabled: true, url: 'nothing' })).status).toBe(422)
  const url = `http://${host}/root/spring.git`
  const made = await put({
    enabled: true,
    url,
    auth_user: 'r@t',
    auth_password: 'p:/#',
    mirror_trigger_builds: true,
  })
  expect([made.status, made.body]).toMatchObject([
    200,
    { enabled: true, url: `http://*****:*****@${host}/root/spring.git`, mirror_trigger_builds: true },
  ])
  await here.drain()
  const wrong = (await here.as(here.root).get(`/projects/${copy.id}/mirror/pull`)).body
  expect([wrong.update_status, wrong.last_error]).toEqual(['failed', expect.stringMatching(/refuses/)])
  await put({ auth_user: 'root', auth_password: here.root.token })
  await here.drain()
  const right = (await here.as(here.root).get(`/projects/${copy.id}/mirror/pull`)).body
  expect(right.update_status).toMatch(/finished|scheduled/)
  expect((await put({ enabled: false })).body).toMatchObject({ enabled: false })
})
