import { writeFileSync, chmodSync, existsSync } from 'node:fs'
import path from 'node:path'
import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { GitError, GitInputError } from '../../server/git/errors.ts'
import { CatFileParser } from '../../server/git/read/cat-file-parser.ts'
import type { CatFileAnswer } from '../../server/git/read/cat-file-parser.ts'
import { addCommits, emptyRepo, gitEngine, scriptedRepo, shell, client, tempDir } from '../support/git.ts'

const files = { a: 'first\n', b: 'x'.repeat(300_000) }

describe('the long-lived reading process', () => {
  it('answers many concurrent requests in order through one process', async () => {
    const { repo } = await scriptedRepo([{ files }])
    const blobs = [shell(repo, ['rev-parse', 'main:a']), shell(repo, ['rev-parse', 'main:b'])]
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => repo.git.catFiles.contents(repo, blobs[n % 2]!)),
    )
    expect(answers.map((answer) => answer?.content.toString())).toEqual(
      Array.from({ length: 20 }, (_, n) => (n % 2 ? files.b : files.a)),
    )
    expect(repo.git.catFiles.processIds(repo)).toHaveLength(1)
  })

  it('starts a second process under load, but no third', async () => {
    const { repo, ids } = await scriptedRepo([{ files }])
    await Promise.all(Array.from({ length: 200 }, () => repo.git.catFiles.info(repo, ids[0]!)))
    expect(repo.git.catFiles.processIds(repo)).toHaveLength(2)
  })

  it('returns null for missing objects, and continues', async () => {
    const { repo, ids } = await scriptedRepo([{ files }])
    const [missing, wrongType, there] = await Promise.all([
      repo.git.catFiles.info(repo, 'f'.repeat(40)),
      repo.git.catFiles.contents(repo, `${ids[0]}^{tag}`),
      repo.git.catFiles.info(repo, 'main^{tree}'),
    ])
    expect([missing, wrongType]).toEqual([null, null])
    expect(there).toMatchObject({ type: 'tree' })
  })

  it.each(['a\nb', '', '-x', 'main:a', 'a b', `${'x'.repeat(5000)}`, '\0'])(
    'refuses the name %j',
    async (name) => {
      const repo = await emptyRepo()
      await expect(repo.git.catFiles.info(repo, name)).rejects.toThrow(GitInputError)
    },
  )

  it('finds objects that were written or pushed after it was started', async () => {
    const { repo, ids } = await scriptedRepo([{ files }])
    await repo.git.catFiles.info(repo, ids[0]!)
    const [pid] = repo.git.catFiles.processIds(repo)
    const [next] = addCommits(repo, [{ files: { c: '3' } }])
    expect(await repo.git.catFiles.info(repo, next!)).toMatchObject({ oid: next, type: 'commit' })
    const work = tempDir()
    await client(work, ['clone', '--quiet', repo.gitDir, '.'])
    await client(work, ['commit', '--quiet', '--allow-empty', '-m', 'pushed'])
    const pushed = shell(work, ['rev-parse', 'HEAD'])
    expect(await repo.git.catFiles.info(repo, pushed)).toBeNull()
    expect(
      await client(work, ['-c', 'receive.unpackLimit=1', 'push', '--quiet', 'origin', 'HEAD']),
    ).toMatchObject({ code: 0 })
    shell(repo, ['repack', '-adq'])
    expect(await repo.git.catFiles.info(repo, pushed)).toMatchObject({ oid: pushed })
    expect(await repo.git.catFiles.info(repo, 'main')).toMatchObject({ oid: pushed })
    expect(repo.git.catFiles.processIds(repo)).toEqual([pid])
  })

  it('replaces a killed process, and answers its pending requests', async () => {
    const { repo, ids } = await scriptedRepo([{ files }])
    await repo.git.catFiles.info(repo, ids[0]!)
    const [pid] = repo.git.catFiles.processIds(repo)
    process.kill(pid!, 'SIGSTOP')
    const reads = [repo.git.catFiles.info(repo, ids[0]!), repo.git.catFiles.info(repo, 'main')]
    process.kill(pid!, 'SIGKILL')
    expect(await Promise.all(reads)).toMatchObject([{ oid: ids[0] }, { oid: ids[0] }])
    expect(repo.git.catFiles.processIds(repo)).not.toContain(pid)
  })

  it('fails for a damaged object, and still answers the others', async () => {
    const { engine } = gitEngine({ catFileAnswerMs: 200 })
    const { repo, ids } = await scriptedRepo([{ files }], engine)
    const blob = shell(repo, ['hash-object', '-w', '--stdin'], 'to be damaged')
    const file = path.join(repo.gitDir, 'objects', blob.slice(0, 2), blob.slice(2))
    expect(existsSync(file)).toBe(true)
    chmodSync(file, 0o644)
    // The header declares more data than the object has, which git does not notice when it streams the content.
    writeFileSync(file, deflateSync(Buffer.from('blob 1000\0abc')))
    const isDamaged = { status: 'rejected', reason: { name: 'GitError', reason: 'killed' } }
    const isRead = { status: 'fulfilled', value: { type: 'commit' } }
    const together = await Promise.allSettled(
      [blob, ids[0]!].map((id) => repo.git.catFiles.contents(repo, id)),
    )
    expect(together).toMatchObject([isDamaged, isRead])
    const swamped = await Promise.allSettled(
      [blob, ...Array<string>(30).fill(ids[0]!)].map((id) => repo.git.catFiles.contents(repo, id)),
    )
    expect(swamped).toMatchObject([isDamaged, ...Array(30).fill(isRead)])
    const alone = await Promise.allSettled([repo.git.catFiles.contents(repo, blob)])
    expect(alone).toMatchObject([isDamaged])
  })

  it('fails clearly if the repository is missing', async () => {
    const { engine } = gitEngine()
    const repo = { git: engine, gitDir: '/nonexistent/x.git', key: 'x' }
    const error = await engine.catFiles.info(repo, 'main').catch((caught: unknown) => caught)
    expect((error as GitError).isRepositoryMissing).toBe(true)
  })

  it('ends after an idle time, and starts again on request', async () => {
    const { engine } = gitEngine({ catFileIdleMs: 20 })
    const { repo, ids } = await scriptedRepo([{ files }], engine)
    await engine.catFiles.info(repo, ids[0]!)
    expect(engine.catFiles.processIds(repo)).toHaveLength(1)
    await expect.poll(() => engine.catFiles.processIds(repo)).toEqual([])
    expect(await engine.catFiles.info(repo, ids[0]!)).not.toBeNull()
  })

  it('keeps no more processes than allowed for all repositories', async () => {
    const { engine } = gitEngine({ maxCatFiles: 2 })
    const repos = await Promise.all(Array.from({ length: 4 }, () => scriptedRepo([{ files }], engine)))
    for (const { repo } of repos) await engine.catFiles.info(repo, 'main')
    const alive = repos.flatMap(({ repo }) => engine.catFiles.processIds(repo))
    expect(alive).toHaveLength(2)
  })

  it('ends with the engine and then refuses requests', async () => {
    const { engine } = gitEngine()
    const { repo, ids } = await scriptedRepo([{ files }], engine)
    await engine.catFiles.info(repo, ids[0]!)
    const [pid] = engine.catFiles.processIds(repo)
    await engine.close()
    expect(() => process.kill(pid!, 0)).toThrow('ESRCH')
    await expect(engine.catFiles.info(repo, ids[0]!)).rejects.toThrow(GitError)
  })
})

describe('the parser of its answers', () => {
  it('returns the same for pieces of any size', () => {
    const id = 'a'.repeat(40)
    const output = Buffer.from(`${id} blob 5\nab\ncd\n${id} commit 9\nx missing\n${id} blob 0\n\n`)
    const questions = ['main', id, 'x', id, 'end']
    for (let size = 1; size <= output.length; size += 1) {
      const parser = new CatFileParser()
      const answers: CatFileAnswer[] = []
      for (let start = 0; start < output.length; start += size) {
        const before = answers.length
        answers.push(
          ...parser.push(output.subarray(start, start + size), (index) => ({
            name: questions[before + index]!,
            wantsContent: before + index !== 1,
          })),
        )
      }
      expect(
        answers.map((answer) => answer && [answer.type, answer.size, answer.content.toString()]),
      ).toEqual([['blob', 5, 'ab\ncd'], ['commit', 9, ''], null, ['blob', 0, '']])
      expect(parser.isOutOfSync).toBe(false)
    }
  })

  it.each([
    ['another object than was asked for', `${'b'.repeat(40)} blob 1\nx\n`],
    ['something that is no header', 'fatal: what\n'],
    ['a name that was not asked for', 'other missing\n'],
    ['content without its end', `${'a'.repeat(40)} blob 1\nxy`],
  ])('notices %s', (_, output) => {
    const parser = new CatFileParser()
    const answers = parser.push(Buffer.from(output), () => ({ name: 'a'.repeat(40), wantsContent: true }))
    expect(answers).toEqual([])
    expect(parser.isOutOfSync).toBe(true)
  })
})
