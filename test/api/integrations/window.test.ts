import { describe, expect, it } from 'vitest'

import { openSettings } from '../../../server/domains/integrations/settings.ts'
import { find } from '../../../server/domains/integrations/store.ts'
import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const project = await here.make.project({ visibility: 'public' })
const at = `/-/projects/${project.id}/integrations`
const api = `/projects/${project.id}/integrations`
const open = (slug: string) => openSettings(here.ctx(), find(here.ctx().db, project.id, slug)!)
interface FieldShown {
  name: string
}
const fieldOf = (form: { fields: FieldShown[] }, name: string) =>
  form.fields.find((field) => field.name === name)

describe('the list of the window', () => {
  it('contains all integrations, and marks the active ones', async () => {
    const before = (await root.get(at)).body
    expect(before.length).toBeGreaterThan(35)
    expect(before.find((integration: { slug: string }) => integration.slug === 'slack')).toEqual({
      slug: 'slack',
      title: 'Slack notifications',
      family: 'chat',
      description: 'Messages about the project in Slack channels.',
      active: false,
      updated_at: null,
    })
    const slugs = (list: { slug: string }[]) => list.map((integration) => integration.slug)
    expect(slugs(before)).not.toContain('mock-ci')
    await root.put(`${api}/mock-ci`, { mock_service_url: 'https://mock.example' })
    const after = (await root.get(at)).body
    expect(after.find((integration: { slug: string }) => integration.slug === 'mock-ci')).toMatchObject({
      active: true,
    })
  })
})

describe('the form of the window', () => {
  it('is available before the integration is set up', async () => {
    const { status, body } = await root.get(`${at}/jenkins`)
    expect([status, body.id, body.active, body.can_test]).toEqual([200, null, false, true])
    expect(fieldOf(body, 'password')).toMatchObject({ is_secret: true, is_kept: false, value: null })
    expect(fieldOf(body, 'enable_ssl_verification')).toMatchObject({ type: 'boolean', value: true })
    expect(body.flags).toEqual([
      { name: 'push_events', title: 'Pushes', value: true },
      { name: 'merge_requests_events', title: 'Merge requests', value: true },
      { name: 'tag_push_events', title: 'Tags', value: true },
    ])
    expect((await root.get(`${at}/gitlab-slack-application`)).status).toBe(404)
    const hidden = (await root.get(`${at}/hangouts-chat`)).body
    expect(fieldOf(hidden, 'notify_only_default_branch')).toBeUndefined()
    expect((await root.get(`${at}/redmine`)).body).toMatchObject({ can_test: false, flags: [] })
  })

  it('saves values, keeps missing secrets, and clears empty fields', async () => {
    const settings = {
      jenkins_url: ' https://jenkins.example ',
      project_name: 'reef',
      username: 'me',
      password: 'deep',
      enable_ssl_verification: 'false',
    }
    const saved = await root.put(`${at}/jenkins`, { settings, flags: { push_events: 'false' } })
    expect([saved.status, saved.body.active]).toEqual([200, true])
    expect(fieldOf(saved.body, 'password')).toMatchObject({ is_kept: true, value: null })
    expect(fieldOf(saved.body, 'jenkins_url')).toMatchObject({ value: 'https://jenkins.example' })
    expect(saved.body.flags[0]).toEqual({ name: 'push_events', title: 'Pushes', value: false })
    expect(saved.text).not.toContain('deep')

    const changed = await root.put(`${at}/jenkins`, { settings: { username: '', project_name: 'other' } })
    expect(fieldOf(changed.body, 'username')).toMatchObject({ value: null })
    expect(open('jenkins')).toMatchObject({ password: 'deep', project_name: 'other', username: null })
    await root.put(`${at}/jenkins`, { settings: { password: '' } })
    expect(open('jenkins')['password']).toBeNull()
    expect(open('jenkins')['enable_ssl_verification']).toBe(false)
  })

  it('reports problems by field', async () => {
    const none = await root.put(`${at}/drone-ci`, {})
    expect([none.status, none.body]).toEqual([
      400,
      { message: { token: ["can't be blank"], drone_url: ["can't be blank"] } },
    ])
    const bad = await root.put(`${at}/irker`, { settings: { recipients: '#a', server_port: 'many' } })
    expect([bad.status, bad.body]).toEqual([400, { message: { server_port: ['is invalid'] } }])
    const local = await root.put(`${at}/slack`, { settings: { webhook: 'http://127.0.0.1/x' } })
    expect(local.body.message.webhook).toEqual(['is blocked: Requests to the local network are not allowed'])
    expect((await root.get(`${api}/slack`)).status).toBe(404)
  })

  it('requires a secret again for another server', async () => {
    await root.put(`${at}/drone-ci`, { settings: { drone_url: 'https://one.example', token: 'of one' } })
    const moved = await root.put(`${at}/drone-ci`, { settings: { drone_url: 'https://two.example' } })
    expect([moved.status, moved.body.message]).toEqual([400, { token: ["can't be blank"] }])
    expect(open('drone-ci')).toMatchObject({ drone_url: 'https://one.example', token: 'of one' })
  })

  it('activates the integration again with its stored settings', async () => {
    await root.delete(`${api}/drone-ci`)
    const again = await root.put(`${at}/drone-ci`, {})
    expect([again.status, again.body.active]).toEqual([200, true])
  })

  it('is visible to maintainers only', async () => {
    const developer = here.make.user()
    await here.make.member('projects', project.id, developer, 30)
    const as = here.as(developer)
    for (const answer of [
      await as.get(at),
      await as.get(`${at}/slack`),
      await as.put(`${at}/slack`, {}),
      await as.get(`${at}/slack/deliveries`),
    ])
      expect(answer.status).toBe(403)
  })
})

describe('the log of an integration', () => {
  it('is empty at first, and returns 404 before the integration is set up', async () => {
    await root.put(`${api}/asana`, { api_key: 'k' })
    expect((await root.get(`${at}/asana/deliveries`)).body).toEqual([])
    expect((await root.get(`${at}/pumble/deliveries`)).body).toEqual({ message: '404 Integration Not Found' })
  })
})

describe('the external wiki and issue tracker', () => {
  it('are shown to all users who see the project', async () => {
    const nobody = here.as(null)
    const where = `/-/projects/${project.id}/outside`
    expect((await nobody.get(where)).body).toEqual({ wiki: null, tracker: null })
    await root.put(`${api}/external-wiki`, { external_wiki_url: 'https://wiki.example/reef' })
    await root.put(`${api}/redmine`, {
      project_url: 'https://redmine.example',
      issues_url: 'https://redmine.example/:id',
      new_issue_url: 'https://redmine.example/new',
    })
    expect((await nobody.get(where)).body).toEqual({
      wiki: { title: 'External wiki', url: 'https://wiki.example/reef' },
      tracker: {
        title: 'Redmine',
        url: 'https://redmine.example',
        new_issue_url: 'https://redmine.example/new',
      },
    })
    await root.delete(`${api}/redmine`)
    await root.put(`${api}/jira`, { url: 'https://jira.example', username: 'u', password: 'p' })
    expect((await nobody.get(where)).body.tracker).toEqual({
      title: 'Jira',
      url: 'https://jira.example',
      new_issue_url: null,
    })
    const hidden = await here.make.project({ visibility: 'private' })
    expect((await nobody.get(`/-/projects/${hidden.id}/outside`)).status).toBe(404)
  })
})
