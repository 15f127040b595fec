import { describe, expect, it } from 'vitest'

import { cpuTime } from '../../support/cpu-time.ts'
import { world } from '../../support/world.ts'

const here = await world()
const root = here.as(here.root)
const group = await here.make.group({ path: 'reef', visibility: 'public' })
const both = await here.make.project({ path: 'both', namespace_id: group.id, visibility: 'public' })
const away = await here.make.project({
  path: 'away',
  namespace_id: group.id,
  visibility: 'public',
  issues_access_level: 'disabled',
})
await root.post(`/projects/${both.id}/issues`, { title: 'Here' })
await root.post(`/projects/${both.id}/labels`, { name: 'A-1', color: '#ff0000' })

async function rendered(text: string, project = away): Promise<string> {
  const body = { text, gfm: true, project: project.path_with_namespace }
  const { html } = (await here.as(null).post('/markdown', body)).body
  return html.trim().replace(/^<p>([\s\S]*)<\/p>$/, '$1')
}

const link = (href: string, title: string, text: string): string =>
  `<a href="${href}" class="gfm gfm-issue" title="Issue in ${title}" rel="nofollow noreferrer noopener">${text}</a>`

/** Sets up a tracker as the only one of both projects. */
async function use(slug: string, more: object = {}): Promise<void> {
  for (const { id } of [both, away]) {
    for (const integration of (await root.get(`/projects/${id}/integrations`)).body)
      await root.delete(`/projects/${id}/integrations/${integration.slug}`)
    const urls = {
      project_url: 'https://t.example',
      issues_url: 'https://t.example/issue?id=:id',
      new_issue_url: 'https://t.example/new',
    }
    const set = await root.put(`/projects/${id}/integrations/${slug}`, { ...urls, ...more })
    expect(set.status).toBe(200)
  }
}

describe('references to external issues', () => {
  it.each([
    ['custom-issue-tracker', 'Custom issue tracker'],
    ['redmine', 'Redmine'],
    ['bugzilla', 'Bugzilla'],
  ])('become links by their number: %s', async (slug, title) => {
    await use(slug)
    expect(await rendered('See REEF-12 and #5.')).toBe(
      `See ${link('https://t.example/issue?id=12', title, 'REEF-12')} and ${link('https://t.example/issue?id=5', title, '#5')}.`,
    )
    // The project has its own issues, too, so a number alone refers to one of them.
    const mixed = await rendered('REEF-12 #1 #77', both)
    expect(mixed).toContain(link('https://t.example/issue?id=12', title, 'REEF-12'))
    expect(mixed).toContain(`${here.url}/reef/both/-/issues/1`)
    expect(mixed.endsWith(' #77')).toBe(true)
  })

  it('become links by their key in YouTrack', async () => {
    await use('youtrack')
    expect(await rendered('reef-7 #8')).toBe(
      `${link('https://t.example/issue?id=reef-7', 'YouTrack', 'reef-7')} ${link('https://t.example/issue?id=8', 'YouTrack', '#8')}`,
    )
  })

  it('become links by a word before their number in EWM', async () => {
    await use('ewm')
    expect(await rendered('Bug 12, work item 3, #4')).toBe(
      `${link('https://t.example/issue?id=12', 'EWM', 'Bug 12')}, ${link('https://t.example/issue?id=3', 'EWM', 'work item 3')}, #4`,
    )
  })

  it('become links in ClickUp and Phorge', async () => {
    await use('clickup')
    expect(await rendered('CU-a1b2')).toBe(link('https://t.example/issue?id=a1b2', 'ClickUp', 'CU-a1b2'))
    await use('phorge')
    expect(await rendered('T12 #1')).toBe(`${link('https://t.example/issue?id=12', 'Phorge', 'T12')} #1`)
  })

  it("become links to Jira by the project's pattern", async () => {
    const jira = { url: 'https://jira.example/base/', username: 'u', password: 'p' }
    const issue = (key: string, text = key) => link(`https://jira.example/base/browse/${key}`, 'Jira', text)
    await use('jira', jira)
    expect(await rendered('REEF-1, R-1, reef-1, #1')).toBe(`${issue('REEF-1')}, R-1, reef-1, #1`)
    await use('jira', { ...jira, jira_issue_regex: 'reef-\\d+', jira_issue_prefix: 'jira#' })
    expect(await rendered('jira#reef-1 REEF-1')).toBe(`${issue('reef-1', 'jira#reef-1')} REEF-1`)
    const bad = await root.put(`/projects/${away.id}/integrations/jira`, { ...jira, jira_issue_regex: '(' })
    expect(bad.body).toEqual({ message: '400 Bad Request' })
  })

  it('stay text inside of code, links, labels and paths', async () => {
    await use('redmine')
    for (const text of ['`REEF-1`', '[x](https://x.example/REEF-1)', 'https://x.example/REEF-1', 'xREEF-1'])
      expect(await rendered(text)).not.toContain('t.example')
    expect(await rendered('~A-1', both)).toContain('data-label-color')
    // A number with a path refers to an issue of that project.
    expect(await rendered('both#1')).toContain(`${here.url}/reef/both/-/issues/1`)
    expect(await rendered('reef/both#1')).not.toContain('t.example')
  })

  it("cannot link to another host than the tracker's", async () => {
    await use('clickup', { issues_url: 'https://:id.t.example/x' })
    expect(await rendered('CU-evil')).toContain('href="https://evil.t.example/x"')
    await use('redmine', { issues_url: 'https://t.example/"><script>/:id' })
    expect(await rendered('REEF-1')).not.toContain('<script>')
  })

  it('stay text after the tracker is disabled, and in other projects', async () => {
    await use('redmine')
    const other = await here.make.project({ visibility: 'public' })
    expect(await rendered('REEF-1', other)).toBe('REEF-1')
    await root.delete(`/projects/${away.id}/integrations/redmine`)
    expect(await rendered('REEF-1 #5')).toBe('REEF-1 #5')
  })

  it('are found quickly in hostile texts', async () => {
    await use('jira', {
      url: 'https://jira.example',
      username: 'u',
      password: 'p',
      jira_issue_regex: '(A+)+-\\d+',
    })
    const start = cpuTime()
    await rendered('A'.repeat(60_000))
    for (const jira_issue_regex of ['.', 'x*']) {
      await use('jira', { url: 'https://jira.example', username: 'u', password: 'p', jira_issue_regex })
      await rendered('ab '.repeat(20_000))
    }
    await use('redmine')
    await rendered('A_'.repeat(30_000))
    await rendered('#'.repeat(60_000))
    expect(cpuTime() - start).toBeLessThan(3000)
  })
})
