import { describe, expect, it } from 'vitest'

import { client, scriptedRepo, type ScriptedCommit } from '../../../support/git.ts'
import { world, type Answer } from '../../../support/world.ts'
import { bodyOf, roundTrip, writtenWorld } from '../../../support/written-world.ts'

const here = await world()
const root = here.as(here.root)

const made = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
  await here.drain()
  return body
}

/** Creates a project of root with the commits of a script. */
async function push(name: string, commits: readonly ScriptedCommit[]): Promise<void> {
  await made(root.post('/projects', { name, visibility: 'public' }))
  const { repo } = await scriptedRepo(commits)
  const address = `${here.url.replace('//', `//root:${here.root.token}@`)}/root/${name}.git`
  expect(await client(repo.gitDir, ['push', '--quiet', address, '--all'])).toMatchObject({ code: 0 })
  await here.drain()
}

const counted = (count: number): ScriptedCommit[] =>
  Array.from({ length: count }, (_, n) => ({
    message: `Count ${n + 1}\n`,
    files: { 'count.txt': `${n + 1}\n`, [`kept/${n % 7}.txt`]: `${n}\n` },
  }))

const NOTE =
  /1 histories of more than 2000 commits or 4 MB; only the newest commit of each branch is here: (.+)/

describe('a repository with a long history', async () => {
  await push('fits', counted(1999))
  await push('long', [
    ...counted(2001),
    { branch: 'side', from: ':1000', message: 'Aside\n', files: { 'side.txt': 'side\n', 'count.txt': null } },
    { branch: 'other', from: ':3', message: 'No request\n', files: { 'other.txt': 'other\n' } },
  ])
  const at = '/projects/root%2Flong'
  const request = { source_branch: 'side', target_branch: 'main', title: 'Take the side' }
  await made(root.post(`${at}/merge_requests`, request))
  const taken = { source_branch: 'side', target_branch: 'other', title: 'Merged before' }
  const { iid } = await made(root.post(`${at}/merge_requests`, taken))
  await made(root.put(`${at}/merge_requests/${iid}/merge`))
  await made(root.post(`${at}/issues`, { title: 'It is long' }))
  await made(root.post(`${at}/repository/tags`, { tag_name: 'v1', ref: 'main' }))
  await made(root.post(`${at}/repository/tags`, { tag_name: 'early', ref: 'main~500' }))
  const { text, second } = await roundTrip(here)
  const other = second.as(second.root)

  it('is written as one commit for each branch if it has more than 2,000 commits', async () => {
    expect(NOTE.exec(text)?.[1]).toBe('root/long')
    expect((await other.get(`${at}/repository/commits?per_page=100`)).body).toMatchObject([
      { title: 'Count 2001', author_name: 'Ada Author', parent_ids: [] },
    ])
    expect((await other.get(`${at}/repository/commits?per_page=100&ref_name=side`)).body).toHaveLength(2)
    const commits = await other.get('/projects/root%2Ffits/repository/commits?per_page=1&page=1999')
    expect(commits.body).toMatchObject([{ title: 'Count 1' }])
  })

  it('has the same files in each branch', async () => {
    const treeOf = async (reader: typeof root, ref: string) =>
      (await reader.get(`${at}/repository/tree?recursive=true&per_page=100&ref=${ref}`)).body.map(
        ({ path, id }: { path: string; id: string }) => `${path} ${id}`,
      )
    for (const ref of ['main', 'side', 'other']) {
      const tree = await treeOf(root, ref)
      expect(tree.length).toBeGreaterThan(3)
      expect(await treeOf(other, ref)).toEqual(tree)
    }
  })

  it('keeps its issues, merge requests and the tags of commits that are here', async () => {
    const requests = (await other.get(`${at}/merge_requests?state=all&order_by=created_at&sort=asc`)).body
    expect(requests).toMatchObject([
      { title: 'Take the side', state: 'opened' },
      { title: 'Merged before', state: 'closed' },
    ])
    expect(text).toContain('1 merges that a world cannot repeat; their requests are closed here: root/long!2')
    expect((await other.get(`${at}/issues`)).body).toMatchObject([{ title: 'It is long' }])
    expect((await other.get(`${at}/repository/tags`)).body.map(({ name }: { name: string }) => name)).toEqual(
      ['v1'],
    )
    expect(text).toContain('1 tags of commits that are not here: root/long early')
  })
}, 300_000)

describe('a repository of more than 4 MB', async () => {
  const large = (n: number) => `${n} ${'0123456789abcdef'.repeat(15_000)}\n`
  const files = (names: (n: number) => string) =>
    Array.from({ length: 20 }, (_, n) => ({ message: `Size ${n}\n`, files: { [names(n)]: large(n) } }))
  await push(
    'rewritten',
    files(() => 'one.txt'),
  )
  await push(
    'many',
    files((n) => `file-${String(n).padStart(2, '0')}.txt`),
  )
  const { text, second } = await roundTrip(here)
  const other = second.as(second.root)

  it('is written as one commit with the current files', async () => {
    const text = await writtenWorld(here, '?projects=root/rewritten')
    expect(NOTE.exec(text)?.[1]).toBe('root/rewritten')
    expect(text.match(/- message: /g)).toHaveLength(1)
    const file = await other.get('/projects/root%2Frewritten/repository/files/one.txt/raw?ref=main')
    expect(file.text).toBe(large(19))
  })

  it('leaves out the files beyond the limit, and says which', async () => {
    const comment = text.slice(0, text.length - bodyOf(text).length)
    expect(comment).toContain(
      '3 files of large repositories: root/many file-17.txt, root/many file-18.txt, root/many file-19.txt\n',
    )
    const tree = (await other.get('/projects/root%2Fmany/repository/tree?per_page=100')).body
    expect(tree.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 17 }, (_, n) => `file-${String(n).padStart(2, '0')}.txt`),
    )
    expect(bodyOf(text)).not.toContain('file-17.txt')
  })
}, 300_000)
