import { beforeAll, describe, expect, it } from 'vitest'

import { world, type TestUser, type World } from '../../support/world.ts'

let w: World
let owner: TestUser
let stranger: TestUser
// oxlint-disable-next-line typescript/no-explicit-any
let project: any
// oxlint-disable-next-line typescript/no-explicit-any
let neighbour: any
let sha: string
let snippet: number

beforeAll(async () => {
  w = await world()
  owner = w.make.user({ username: 'owner' })
  w.make.user({ username: 'guest' })
  stranger = w.make.user({ username: 'stranger' })
  const team = await w.make.group({ owner, name: 'Team', path: 'team', visibility: 'public' })
  const inTeam = { owner, namespace_id: team.id, visibility: 'public' }
  project = await w.make.project({ ...inTeam, name: 'lamp', path: 'lamp', with: 'readme' })
  neighbour = await w.make.project({ ...inTeam, name: 'wick', path: 'wick', visibility: 'private' })
  const as = w.as(owner)
  await as.post(at('/repository/commits'), {
    branch: 'work',
    start_branch: 'main',
    commit_message: 'Trim the "wick"',
    actions: [{ action: 'create', file_path: 'a.txt', content: 'a' }],
  })
  sha = (await as.get(at('/repository/commits/work'))).body.id
  await as.post(at('/issues'), { title: 'It <b>flickers</b>' })
  await as.post(at('/issues'), { title: 'Secret', confidential: true })
  await as.post(`/projects/${neighbour.id}/issues`, { title: 'Too short' })
  const branches = { source_branch: 'work', target_branch: 'main' }
  await as.post(at('/merge_requests'), { ...branches, title: 'Trim it' })
  await as.post(at('/labels'), { name: 'bug', color: '#ff0000', description: 'Broken' })
  await as.post(`/groups/${team.id}/labels`, { name: 'help wanted', color: '#00ff00' })
  await as.post(at('/milestones'), { title: '1.0' })
  await as.post(`/groups/${team.id}/milestones`, { title: 'Spring time' })
  const text = { title: 'A trick', file_name: 'a.txt', content: 'a', visibility: 'private' }
  snippet = (await as.post(at('/snippets'), text)).body.id
  await w.drain()
})

const at = (rest: string): string => `/projects/${project.id}${rest}`

/** The text rendered for a user in the project, without the paragraph around it. */
async function rendered(user: TestUser | null, text: string, path: string | null = 'team/lamp') {
  const where = path === null ? {} : { project: path }
  const { status, body } = await w.as(user).post('/markdown', { text, gfm: true, ...where })
  expect(status).toBe(201)
  return body.html.trim().replace(/^<p>(.*)<\/p>$/s, '$1')
}

const REL = 'rel="nofollow noreferrer noopener"'
const link = (page: string, kind: string, title: string, text: string): string =>
  `<a href="${w.url}/${page}" class="gfm gfm-${kind}" title="${title}" ${REL}>${text}</a>`

describe('references in a project', () => {
  it('become links', async () => {
    expect(await rendered(owner, '#1')).toBe(
      link('team/lamp/-/issues/1', 'issue', 'It &lt;b&gt;flickers&lt;/b&gt;', '#1'),
    )
    expect(await rendered(owner, '!1')).toBe(
      link('team/lamp/-/merge_requests/1', 'merge_request', 'Trim it', '!1'),
    )
    expect(await rendered(owner, '@Guest')).toBe(link('guest', 'project_member', 'GUEST', '@guest'))
    expect(await rendered(owner, '@team')).toBe(link('groups/team', 'project_member', 'Team', '@team'))
    expect(await rendered(owner, '@all')).toBe(
      link('team/lamp', 'project_member', 'All Project Members', '@all'),
    )
    const label = (page: string, color: string, title: string, text: string) =>
      `<a href="${w.url}/team/lamp/-/issues?label_name=${page}" class="gfm gfm-label"${title} data-label-color="${color}" ${REL}>${text}</a>`
    expect(await rendered(owner, '~bug')).toBe(label('bug', '#ff0000', ' title="Broken"', 'bug'))
    expect(await rendered(owner, '~"help wanted"')).toBe(label('help%20wanted', '#00ff00', '', 'help wanted'))
    expect(await rendered(owner, '%1.0')).toBe(link('team/lamp/-/milestones/1', 'milestone', '1.0', '%1.0'))
    expect(await rendered(owner, '%1')).toBe(link('team/lamp/-/milestones/1', 'milestone', '1.0', '%1.0'))
    expect(await rendered(owner, '%"Spring time"')).toBe(
      link('groups/team/-/milestones/1', 'milestone', 'Spring time', '%&quot;Spring time&quot;').replaceAll(
        '>%&quot;Spring time&quot;<',
        '>%"Spring time"<',
      ),
    )
    expect(await rendered(owner, `$${snippet}`)).toBe(
      link(`team/lamp/-/snippets/${snippet}`, 'snippet', 'A trick', `$${snippet}`),
    )
    const commit = link(`team/lamp/-/commit/${sha}`, 'commit', 'Trim the &quot;wick&quot;', sha.slice(0, 8))
    expect(await rendered(owner, sha.slice(0, 10))).toBe(commit)
    expect(await rendered(owner, sha)).toBe(commit)
  })

  it('link to other projects, too', async () => {
    const issue = (text: string) => link('team/wick/-/issues/1', 'issue', 'Too short', text)
    expect(await rendered(owner, 'wick#1 and team/wick#1')).toBe(`${issue('wick#1')} and ${issue('wick#1')}`)
    expect(await rendered(owner, 'team/wick#1', null)).toBe(issue('team/wick#1'))
    expect(await rendered(owner, `team/lamp@${sha.slice(0, 9)}`, 'team/wick')).toContain(
      `>lamp@${sha.slice(0, 8)}</a>`,
    )
  })

  it('may be addresses of this instance', async () => {
    const issue = `${w.url}/team/lamp/-/issues/1`
    expect(await rendered(owner, `see ${issue}#note_5`)).toContain('>#1 (comment 5)</a>')
    expect(await rendered(owner, issue, 'team/wick')).toContain('>lamp#1</a>')
    const other = 'https://example.com/team/lamp/-/issues/1'
    expect(await rendered(owner, other)).toBe(`<a href="${other}" ${REL}>${other}</a>`)
    expect(await rendered(owner, `[words](${issue})`)).toBe(`<a href="${issue}" ${REL}>words</a>`)
  })

  it('stay text for missing targets, and in code', async () => {
    const text = '#99 !99 @nobody-here ~nothing %9.9 $999999 deadbeef0 other/path#1'
    expect(await rendered(owner, text)).toBe(text)
    expect(await rendered(owner, '`#1` \\#1')).toBe('<code>#1</code> #1')
  })
})

describe('a target that the reader may not see', () => {
  it('stays text', async () => {
    for (const user of [stranger, null]) {
      expect(await rendered(user, `#2 wick#1 team/wick#1 $${snippet}`)).toBe(
        `#2 wick#1 team/wick#1 $${snippet}`,
      )
      expect(await rendered(user, '#1')).toContain('<a ')
    }
    expect(await rendered(owner, '#2')).toContain('Secret')
    const { body } = await w.as(stranger).post('/markdown', { text: '#1', gfm: true, project: 'team/wick' })
    expect(body).toEqual({ message: '404 Project Not Found' })
  })

  it('stays text without references or without a project', async () => {
    const plain = await w.as(owner).post('/markdown', { text: '#1 @guest', project: 'team/lamp' })
    expect(plain.body.html.trim()).toBe('<p>#1 @guest</p>')
    expect(await rendered(owner, '#1 ~bug', null)).toBe('#1 ~bug')
    expect(await rendered(owner, '@guest', null)).toContain('>@guest</a>')
  })
})

describe('a very long text', () => {
  const text = '#1 @guest ~bug deadbeef1 '.repeat(4000)

  it('is rendered before the test times out', async () => {
    expect((await rendered(owner, text)).length).toBeGreaterThan(text.length)
  })

  it('is refused for anonymous callers', async () => {
    const answer = await w.as(null).post('/markdown', { text })
    expect([answer.status, answer.body]).toEqual([401, { message: '401 Unauthorized' }])
    expect((await w.as(null).post('/markdown', { text: text.slice(0, 1000) })).status).toBe(201)
  })
})
