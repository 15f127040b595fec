import { describe, expect, it } from 'vitest'

import { makeOddInstance, TITLE } from '../../../support/odd-instance.ts'
import { world } from '../../../support/world.ts'
import { bodyOf, roundTrip, writtenWorld } from '../../../support/written-world.ts'

const here = await world()
const root = here.as(here.root)
const { people, by, group, odd } = await makeOddInstance(here)

describe('an instance with content from clients', async () => {
  const { text, second } = await roundTrip(here)
  const other = second.as(second.root)
  const comment = text.slice(0, text.length - bodyOf(text).length)

  it('is written with the same titles, texts and files', async () => {
    const issues = (await other.get('/projects/gru%2Foddity/issues?scope=all&state=all&per_page=100')).body
    expect(issues.map(({ title }: { title: string }) => title)).toContain(TITLE)
    expect(issues.find(({ title }: { title: string }) => title === TITLE)).toMatchObject({
      description: odd.description,
      author: { username: 'ana' },
      assignees: [{ username: 'bo' }],
      labels: ['prio: "high" #1'],
      milestone: { title: 'v1: "the # one"' },
    })
    for (const path of ['ünï cödé: #1.txt', 'a/"q".md', 'no end', 'a/ends', 'p.png', 'run.sh']) {
      const at = `/projects/gru%2Foddity/repository/files/${encodeURIComponent(path)}?ref=main`
      const [first, two] = [(await root.get(at)).body, (await other.get(at)).body]
      expect(two).toMatchObject({
        content: first.content,
        execute_filemode: first.execute_filemode,
        size: first.size,
      })
    }
    expect((await other.get('/projects/gru%2Fbelow%2Fold')).body).toMatchObject({
      archived: true,
      visibility: 'private',
    })
    expect((await other.get('/projects/bo%2Fnothing')).body).toMatchObject({
      empty_repo: true,
      visibility: 'private',
    })
    expect((await other.get('/users?username=off')).body[0]).toMatchObject({ state: 'blocked' })
  })

  it('is written with merge requests in their states, although rules were added after them', async () => {
    const all = (
      await other.get('/projects/gru%2Foddity/merge_requests?state=all&order_by=created_at&sort=asc')
    ).body
    expect(
      all.map(
        ({ state, source_branch }: { state: string; source_branch: string }) => `${source_branch} ${state}`,
      ),
    ).toEqual([
      'waiting opened',
      'plain merged',
      'squashed merged',
      'dropped closed',
      'twice closed',
      'again opened',
    ])
    expect((await other.get('/projects/gru%2Foddity')).body).toMatchObject({
      only_allow_merge_if_pipeline_succeeds: true,
      only_allow_merge_if_all_discussions_are_resolved: true,
    })
  })

  it('is written with a comment that lists the omitted content', () => {
    for (const words of [
      '1 snippets',
      '1 internal comments',
      '1 protected branches other than the default branch',
      '1 groups with settings other than the defaults',
      '1 authors, times and earlier versions of wiki pages: gru/oddity',
      '1 webhooks with a name, headers, a template or a filter of branches',
      'committers who are not the author, or committed at another time: gru/oddity',
      'comments of people who can no longer write them',
      'variables that are masked, files, or not expanded: gru/oddity HIDDEN',
      'symbolic links: gru/pushed link',
      'files larger than 256 kB: gru/pushed large.txt',
      'versions of binary files larger than 64 kB',
      'wiki pages that are no Markdown: gru/oddity Other',
      '1 signatures of commits: gru/pushed ',
    ])
      expect(comment).toContain(words)
  })

  it('is written without secrets', () => {
    for (const word of [
      'hook-secret',
      'abcdefgh1',
      people['ana']!.token,
      here.root.token,
      'internal words',
      'cannot say this',
    ])
      expect(text).not.toContain(word)
  })

  it('can be written in part, by groups and projects', async () => {
    const part = await writtenWorld(here, '?projects=bo/own,gru/pushed')
    expect([...part.matchAll(/^ {2}- path: (.+)$/gm)].map(([, path]) => path)).toEqual([
      'gru',
      'bo/own',
      'gru/pushed',
    ])
    expect(part).not.toContain('username: cy\n')
    expect(part).not.toContain('snippets')
    const whole = await writtenWorld(here, `?groups=${group.id}`)
    expect(whole).toContain('path: gru/below/old')
    for (const words of ['1 snippets', '1 internal comments', '1 protected branches other'])
      expect(whole).toContain(words)
    expect(whole).not.toContain('bo/own')
    for (const query of ['?projects=no/such', '?groups=9999'])
      expect((await root.get(`/-/workbench/worlds/current${query}`)).status).toBe(404)
    expect((await by('bo').get('/-/workbench/worlds/current')).status).toBe(403)
  })
}, 300_000)
