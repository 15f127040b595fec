import { describe, expect, it } from 'vitest'

import type { Kind } from '../../../server/domains/webhooks/index.ts'
import { NEW, OLD, samples, scene } from './scene.ts'

const s = await scene()
const { page, deliver, only } = s
const { push, issue, mergeRequest, noteOn, pipeline, wikiPage, deployment, commit, NOTHING } = samples(s)
const icon = 'https://pics.example/ann.png'
const home = `<${page}|Reef / Kelp>`
await only('slack', {
  webhook: `${s.there.url}/slack`,
  branches_to_be_notified: 'all',
  notify_only_broken_pipelines: false,
  deployment_events: true,
})

/** Returns the request that Slack gets for an event. */
async function message(kind: Kind, payload: object) {
  const requests = await deliver(kind, payload)
  expect(requests.map((request) => [request.method, request.path, request.headers['content-type']])).toEqual([
    ['POST', '/slack', 'application/x-www-form-urlencoded'],
  ])
  const form = new URLSearchParams(requests[0]!.body)
  expect([...form.keys()]).toEqual(['payload'])
  const { username, fallback, ...rest } = JSON.parse(form.get('payload')!)
  expect(username).toBe('Deskforge')
  return { fallback, ...rest }
}

describe('Messages in Slack', () => {
  it('a push has its commits', async () => {
    const text = `Ann Example (ann) pushed to branch <${page}/-/commits/main|main> of ${home} (<${page}/-/compare/${OLD}...${NEW}|Compare changes>)`
    expect(await message('push', push())).toEqual({
      text,
      fallback: text,
      attachments: [
        {
          color: '#334455',
          text:
            `<${page}/-/commit/${OLD}|1a2b3c4d>: Fix [a] | *b* - Bob &lt;b&gt;\n` +
            `<${page}/-/commit/${NEW}|5e6f7a8b>: Second - Bob &lt;b&gt;`,
          mrkdwn_in: ['text'],
        },
      ],
    })
  })

  it.each([
    [
      'push',
      { before: NOTHING, ref: 'refs/heads/a b/ä' },
      `pushed new branch <${page}/-/commits/a%20b/%C3%A4|a b/ä> to ${home}`,
    ],
    ['push', { after: NOTHING, commits: [] }, `removed branch main from ${home}`],
    [
      'tag_push',
      { before: NOTHING, ref: 'refs/tags/v1', commits: [] },
      `pushed new tag <${page}/-/tags/v1|v1> to ${home}`,
    ],
    ['tag_push', { after: NOTHING, ref: 'refs/tags/v1', commits: [] }, `removed tag v1 from ${home}`],
  ] as const)('a created or deleted ref has a message of one line (%s)', async (kind, over, text) => {
    expect(await message(kind, push(over))).toMatchObject({
      text: `Ann Example (ann) ${text}`,
      attachments: [],
    })
  })

  it('an issue has its text when it is opened', async () => {
    const link = `<${page}/-/issues/3|#3 Leak &amp; &lt;co&gt;>`
    expect(await message('issue', issue())).toMatchObject({
      text: `[${home}] Issue ${link} opened by Ann Example (ann)`,
      attachments: [
        {
          title: '#3 Leak &amp; &lt;co&gt;',
          title_link: `${page}/-/issues/3`,
          text: 'See *this* <https://x.example/a|page> &lt;!channel&gt;',
          color: '#C95823',
        },
      ],
    })
    for (const [action, word] of [
      ['close', 'closed'],
      ['reopen', 'reopened'],
    ] as const) {
      expect(await message('confidential_issue', issue({ action }))).toMatchObject({
        text: `[${home}] Issue ${link} ${word} by Ann Example (ann)`,
        attachments: [],
      })
    }
  })

  it.each([
    ['open', 'opened'],
    ['close', 'closed'],
    ['reopen', 'reopened'],
    ['merge', 'merged'],
    ['approved', 'approved'],
    ['unapproved', 'unapproved'],
    ['approval', 'added their approval to'],
    ['unapproval', 'removed their approval from'],
  ])('a merge request has its change: %s', async (action, word) => {
    expect(await message('merge_request', mergeRequest({ action }))).toMatchObject({
      text: `Ann Example (ann) ${word} merge request <${page}/-/merge_requests/4|!4 Seal it> in ${home}`,
      attachments: [],
    })
  })

  it.each([
    [{ issue: { iid: 3, title: 'Leak' } }, 'issue #3', 'Leak'],
    [{ merge_request: { iid: 4, title: 'Seal' } }, 'merge request !4', 'Seal'],
    [{ snippet: { id: 5, title: 'Bit' } }, 'snippet $5', 'Bit'],
    [{ commit: commit(NEW, 'First line\nmore') }, 'commit 5e6f7a8b', 'First line'],
  ])('a comment has its text: %#', async (on, name, title) => {
    expect(await message('note', noteOn(on))).toMatchObject({
      text: `Ann Example (ann) <${page}/-/issues/3#note_9|commented on ${name}> in ${home}: *${title}*`,
      attachments: [{ text: 'Looks *good*', color: '#345' }],
    })
  })

  it('a pipeline has its events in fields', async () => {
    const builds = [
      { id: 1, stage: 'test', name: 'unit', status: 'failed', allow_failure: false },
      { id: 2, stage: 'test', name: 'lint', status: 'failed', allow_failure: true },
      { id: 3, stage: 'deploy', name: 'ship', status: 'skipped', allow_failure: false },
    ]
    const branch = `<${page}/-/commits/main|main>`
    const shown = await message('pipeline', pipeline({}, builds))
    expect(shown).toEqual({
      text: '',
      fallback: `${home}: Pipeline <${page}/-/pipelines/12|#12> of branch ${branch} by Ann Example (ann) has failed in 02:05`,
      attachments: [
        {
          fallback: shown.fallback,
          color: 'danger',
          author_name: 'Ann Example (ann)',
          author_icon: icon,
          author_link: `${s.w.url}/ann`,
          title: 'Pipeline #12 has failed in 02:05',
          title_link: `${page}/-/pipelines/12`,
          fields: [
            { title: 'Branch', value: branch, short: true },
            { title: 'Commit', value: `<${page}/-/commit/${NEW}|Second>`, short: true },
            { title: 'Failed stage', value: `<${page}/-/pipelines/12/failures|test>`, short: true },
            { title: 'Failed job', value: `<${page}/-/jobs/1|unit>`, short: true },
          ],
          footer: 'Reef / Kelp',
          footer_icon: null,
          ts: Date.parse('2026-03-01T09:59:00Z') / 1000,
        },
      ],
    })
  })

  it('a pipeline names ten failed jobs and counts the rest, with hours and warnings', async () => {
    const many = Array.from({ length: 12 }, (_, id) => ({
      id,
      stage: 'test',
      name: `job${id}`,
      status: 'failed',
      allow_failure: false,
    }))
    const [attachment] = (await message('pipeline', pipeline({}, many))).attachments
    const jobs = attachment.fields.at(-1)
    expect(jobs.title).toBe('Failed jobs')
    expect(jobs.value).toMatch(/\|job9>, and 2 more$/)
    const passed = {
      status: 'success',
      detailed_status: 'passed with warnings',
      duration: 3725,
      tag: true,
      ref: 'v1',
    }
    const [warned] = (await message('pipeline', pipeline(passed))).attachments
    expect(warned).toMatchObject({
      color: 'warning',
      title: 'Pipeline #12 has passed with warnings in 01:02:05',
      fields: [{ title: 'Tag', value: `<${page}/-/tags/v1|v1>` }, { title: 'Commit' }],
    })
    const [good] = (await message('pipeline', pipeline({ status: 'success', detailed_status: 'passed' })))
      .attachments
    expect(good.color).toBe('good')
  })

  it('a wiki page has the message of the change', async () => {
    const link = `<${page}/-/wikis/home|wiki page>`
    expect(await message('wiki_page', wikiPage())).toMatchObject({
      text: `Ann Example (ann) created ${link} in ${home}: *Home*`,
      attachments: [{ text: 'Say more', color: '#345' }],
    })
    const compare = `<${page}/-/wikis/home/diff?version_id=${NEW}|Compare changes>`
    expect((await message('wiki_page', wikiPage({ action: 'update' }))).text).toBe(
      `Ann Example (ann) edited ${link} (${compare}) in ${home}: *Home*`,
    )
  })

  it.each([
    ['running', 'Starting deploy to production', '#334455'],
    ['success', 'Deploy to production succeeded', 'good'],
    ['failed', 'Deploy to production failed', 'danger'],
    ['canceled', 'Deploy to production canceled', 'warning'],
  ])('a deployment has its job and commit: %s', async (status, text, color) => {
    expect(await message('deployment', deployment({ status }))).toMatchObject({
      text,
      attachments: [
        {
          text:
            `${home} with job <${page}/-/jobs/8|#8> by <https://pics.example/ann|Ann Example (ann)>\n` +
            `<${page}/-/commit/${NEW}|5e6f7a8b>: Second`,
          color,
        },
      ],
    })
  })

  it('an event without a user names “Someone”', async () => {
    const nobody = { user_name: null, user_username: null, user_avatar: null }
    expect((await message('push', push({ ...nobody, after: NOTHING, commits: [] }))).text).toBe(
      `Someone removed branch main from ${home}`,
    )
    const gone = { user: null }
    const texts: string[] = []
    for (const [kind, payload] of [
      ['issue', issue({ action: 'close' })],
      ['merge_request', mergeRequest()],
      ['note', noteOn({ issue: { iid: 3, title: 'Leak' } })],
      ['wiki_page', wikiPage()],
      ['pipeline', pipeline()],
      ['deployment', deployment({ user_url: null, deployable_id: null, commit_url: null })],
    ] as const)
      texts.push(JSON.stringify(await message(kind, { ...payload, ...gone })))
    expect(texts.filter((text) => !text.includes('Someone') || text.includes('null)'))).toEqual([])
  })
})
