import { describe, expect, it } from 'vitest'

import { frozenClock } from '../../../server/lib/clock.ts'
import { signIn, type Browser } from '../../support/browser-session.ts'
import { world } from '../../support/world.ts'
import { pipelinesWithGit } from '../ci/deploying.ts'
import { fill } from '../repository/fill.ts'

const clock = frozenClock('2026-11-22T08:00:00.000Z')
const here = await world({ clock })
const root = here.as(here.root)
const nobody = here.as(null)
const window: Browser = await signIn(here)
const ci = await pipelinesWithGit(here, { path: 'reef', visibility: 'public' })
const id = ci.project.id
const at = `/projects/${id}/integrations/slack_slash_commands/trigger`
await root.put(`/projects/${id}/integrations/slack-slash-commands`, { token: 'chat-token' })
await root.put(`/projects/${id}/integrations/mattermost-slash-commands`, { token: 'other-token' })

const from = { team_id: 'T1', team_domain: 'reefers', channel_name: 'tides', command: '/forge' }
const me = { ...from, token: 'chat-token', user_id: 'U1', user_name: 'mara' }
const sendCommand = (text: string, who: object = me, path = at) =>
  nobody.post(path, new URLSearchParams({ ...who, text }))
const answer = async (text: string, who: object = me) => (await sendCommand(text, who)).body

/** Connects a chat user with an account, at the URL that the chat received. */
async function connect(as: Browser, who: object = me, path = at) {
  const { text } = (await sendCommand('help', who, path)).body
  const token = new URL(/https?:[^|)>\s]+/.exec(text)![0]).searchParams.get('token')!
  return as.post('/-/profile/chat_names', { token })
}

describe('the token', () => {
  it('must be the one of the integration', async () => {
    const wrong = { message: '404 Integration Not Found' }
    for (const token of ['', 'chat-toke', 'other-token'])
      expect(await sendCommand('help', { ...me, token })).toMatchObject({ status: 404, body: wrong })
    expect(
      await sendCommand('help', me, '/projects/999/integrations/slack_slash_commands/trigger'),
    ).toMatchObject({
      status: 404,
      body: wrong,
    })
    const none = await nobody.post(at, {})
    expect([none.status, none.body]).toEqual([400, { error: 'token is missing' }])
    const off = await here.make.project()
    expect(
      (await sendCommand('help', me, `/projects/${off.id}/integrations/slack_slash_commands/trigger`)).status,
    ).toBe(404)
  })

  it('is accepted at the older path, and with the path of a project', async () => {
    for (const path of [
      `/projects/${id}/services/slack_slash_commands/trigger`,
      '/projects/root%2Freef/integrations/slack_slash_commands/trigger',
    ])
      expect((await sendCommand('help', me, path)).status).toBe(200)
  })
})

describe('a chat user', () => {
  it('gets a link to connect an account', async () => {
    const { status, body } = await sendCommand('issue show 1')
    expect([status, body.response_type]).toEqual([200, 'ephemeral'])
    expect(body.text).toMatch(
      /please <http:\S+\/-\/profile\/chat_names\/new\?token=\S+\|connect your account>/,
    )
    expect((await answer('help', { token: 'chat-token' })).text).toBe('The chat does not say who you are.')
  })

  it('is connected in the window, within some minutes and for that project only', async () => {
    const { text } = await answer('help')
    const token = new URL(/http[^|]+/.exec(text)![0]).searchParams.get('token')!
    const request = await window.get(`/-/profile/chat_names/request?token=${encodeURIComponent(token)}`)
    expect(request.body).toEqual({
      title: 'Slack slash commands',
      team_domain: 'reefers',
      chat_name: 'mara',
      project_path: 'root/reef',
    })
    expect((await root.post('/-/profile/chat_names', { token })).status).toBe(403)
    expect(
      (await window.post('/-/profile/chat_names', { token: token.replace('v1:', 'v1:AAAA') })).status,
    ).toBe(404)
    clock.advance(11 * 60_000)
    expect((await window.post('/-/profile/chat_names', { token })).status).toBe(404)
    expect((await connect(window)).status).toBe(201)
    expect((await answer('help')).text).toContain('/forge issue show')
    // The other chat of the project has no connection.
    const other = { ...me, token: 'other-token' }
    const path = `/projects/${id}/integrations/mattermost_slash_commands/trigger`
    expect((await sendCommand('help', other, path)).body.text).toContain('[connect your account](http')
  })

  it('lists and deletes the connection', async () => {
    const other = { ...me, user_id: 'U9', user_name: 'otto' }
    await connect(window, other)
    const list = (await window.get('/-/profile/chat_names')).body
    expect(list.map((chatName: { chat_name: string }) => chatName.chat_name)).toEqual(['otto', 'mara'])
    expect(list[0]).toMatchObject({
      title: 'Slack slash commands',
      project_path: 'root/reef',
      project_id: id,
    })
    expect((await window.delete(`/-/profile/chat_names/${list[0].id}`)).status).toBe(204)
    expect((await answer('help', other)).text).toContain('connect your account')
    expect((await window.delete(`/-/profile/chat_names/${list[0].id}`)).status).toBe(404)
  })
})

describe('issues', () => {
  it('are created, shown, searched, commented on and closed', async () => {
    const made = await answer('issue new The gauge <sticks>\nIn the *cold*.')
    expect(made).toMatchObject({
      response_type: 'in_channel',
      attachments: [{ title: '#1 The gauge &lt;sticks&gt;', text: 'In the *cold*.' }],
    })
    expect(made.text).toContain(`<${here.url}/root/reef/-/issues/1|#1 The gauge &lt;sticks&gt;>`)
    expect((await answer('issue show #1')).attachments[0].title_link).toBe(`${here.url}/root/reef/-/issues/1`)
    expect((await answer('ISSUE SEARCH gauge')).text).toContain('|#1 The gauge')
    expect((await answer('issue search nothing')).text).toBe('No issue was found.')
    expect((await answer('issue comment 1 Warm it.\nTwice.')).text).toContain('commented')
    const notes = (await root.get(`/projects/${id}/issues/1/notes`)).body
    expect(notes[0].body).toBe('Warm it.\nTwice.')
    expect((await answer('issue close 1')).text).toContain('I closed an issue')
    expect((await root.get(`/projects/${id}/issues/1`)).body.state).toBe('closed')
    expect((await answer('issue close 1')).text).toContain('already closed')
    expect((await answer('issue show 77')).text).toBe('Nothing was found.')
  })

  it('that are confidential are shown only to the user who typed the command', async () => {
    await root.post(`/projects/${id}/issues`, { title: 'Leak', confidential: true })
    expect((await answer('issue show 2')).response_type).toBe('ephemeral')
  })

  it('are updated only by users who may do so', async () => {
    const guest = here.make.user({ username: 'gast' })
    const ctx = here.ctx()
    const row = ctx.db.one<{ id: number }>("SELECT id FROM integrations WHERE slug = 'slack-slash-commands'")!
    ctx.db.exec(
      `INSERT INTO chat_names (user_id, integration_id, team_id, chat_id, created_at) VALUES (?, ?, 'T1', 'U2', ?)`,
      guest.id,
      row.id,
      ctx.now,
    )
    const them = { ...me, user_id: 'U2' }
    await root.post(`/projects/${id}/issues`, { title: 'Of root' })
    expect((await answer('issue close 3', them)).text).toBe('You may not close this issue.')
    expect((await answer('issue show 2', them)).text).toBe('Nothing was found.')
    expect((await answer('run build', them)).text).toBe('You may not do that here.')
    const help = (await answer('', them)).text
    expect(help).toContain('issue new')
    expect(help).not.toContain('deploy')
    await root.put(`/projects/${id}`, { visibility: 'private' })
    expect((await answer('help', them)).text).toBe('You may not do that here.')
    await root.put(`/projects/${id}`, { visibility: 'public' })
    await root.post(`/users/${guest.id}/block`)
    expect((await answer('help', them)).text).toContain('connect your account')
  })
})

describe('pipelines', () => {
  it('are deployed by the only matching manual job', async () => {
    const pipeline = await ci.make(`
stage:
  script: [make]
  environment: staging
bring:
  stage: deploy
  script: [make]
  when: manual
  environment: production
`)
    expect((await answer('deploy staging to production')).text).toBe(
      'There is no manual job that deploys there.',
    )
    ci.end(pipeline, 'stage')
    await here.drain()
    const started = await answer('deploy staging to production')
    expect(started).toMatchObject({ response_type: 'in_channel' })
    expect(started.text).toContain('Deployment from staging to production <')
    expect(ci.job(pipeline, 'bring').status).toBe('pending')
  })

  it('run one job of the configuration with the given input', async () => {
    const config = `
build: { script: [make] }
fish: { script: [echo], needs: [build], only: [chat] }
`
    fill(here, ci.project, [{ branch: 'main', files: { '.gitlab-ci.yml': config } }])
    const started = await answer('run fish for cod $HOME')
    expect(started.text).toMatch(/^Your job was started in <.*\|pipeline #\d+>\.$/)
    const [pipeline] = (await root.get(`/projects/${id}/pipelines?source=chat`)).body
    expect(pipeline).toMatchObject({ source: 'chat', ref: 'main' })
    const jobs = (await root.get(`/projects/${id}/pipelines/${pipeline.id}/jobs`)).body
    expect(jobs.map((job: { name: string }) => job.name)).toEqual(['fish'])
    const variables = (await root.get(`/projects/${id}/pipelines/${pipeline.id}/variables`)).body
    expect(
      Object.fromEntries(
        variables.map((variable: { key: string; value: string }) => [variable.key, variable.value]),
      ),
    ).toEqual({
      CHAT_INPUT: 'for cod $HOME',
      CHAT_CHANNEL: 'tides',
      CHAT_USER_ID: 'U1',
    })
    expect((await answer('run whale')).text).toContain('The job whale could not be started')
  })
})

describe('a command of the global integration', () => {
  it('starts with the path of the project', async () => {
    const shown = await sendCommand('root/reef issue show 1', me, '/slack/trigger')
    expect([shown.status, shown.body.attachments?.[0]?.title]).toEqual([200, '#1 The gauge &lt;sticks&gt;'])
    expect((await sendCommand('root/reef', me, '/slack/trigger')).body.text).toContain('Available commands')
    for (const text of ['nowhere issue show 1', ''])
      expect((await sendCommand(text, me, '/slack/trigger')).status).toBe(404)
    const none = await nobody.post('/slack/trigger', { token: 'x' })
    expect([none.status, none.body]).toEqual([400, { error: 'text is missing' }])
  })
})
