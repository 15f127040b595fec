import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { capabilitiesIn, pushAdvertisement } from '../../server/git/transport/advertised-refs.ts'
import { answerLsRefs } from '../../server/git/transport/ls-refs.ts'
import { packet } from '../../server/git/transport/packets.ts'
import { PUSH_OFFER, TRANSFER_CONFIG } from '../../server/git/transport/transfer-config.ts'
import { keepAround, updateRefs } from '../../server/git/write/refs.ts'
import type { Repo } from '../../server/git/types.ts'
import { emptyRepo, gitEngine, GIT_BINARY, scriptedRepo, shell } from '../support/git.ts'

const COMMAND = ['command=ls-refs\n', 'agent=git/2.39.5', 'object-format=sha1']

function request(args: readonly string[], command: readonly string[] = COMMAND): Buffer {
  const lines = (texts: readonly string[]) => texts.map((text) => packet(text)).join('')
  return Buffer.from(`${lines(command)}0001${lines(args)}0000`)
}

/** The response of git itself. */
function gitAnswers(repo: Repo, input: Buffer): string {
  const config = TRANSFER_CONFIG.flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const args = [...config, 'upload-pack', '--strict', '--stateless-rpc', repo.gitDir]
  const env = { ...process.env, GIT_PROTOCOL: 'version=2' }
  return execFileSync(GIT_BINARY, args, { input, env, encoding: 'utf8' })
}

async function tern() {
  const { engine, operations } = gitEngine()
  const { repo, ids } = await scriptedRepo(
    [
      { files: { a: '1' } },
      { files: { a: '2' } },
      { branch: 'ünï/tide', from: 'refs/heads/main', files: { b: '1' } },
    ],
    engine,
  )
  const [first, second] = ids as [string, string]
  shell(repo, ['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'tag', '-a', '-m', 'One', 'v1', first])
  shell(repo, ['tag', 'light', second])
  shell(repo, ['update-ref', 'refs/merge-requests/1/head', second])
  await keepAround(repo, [first])
  return { repo, first, second, operations }
}

const ARGUMENTS = [
  [],
  ['peel\n', 'symrefs\n', 'unborn\n'],
  ['peel', 'symrefs', 'ref-prefix HEAD', 'ref-prefix refs/heads/', 'ref-prefix refs/tags/'],
  ['ref-prefix refs/tags/'],
  ['peel', 'ref-prefix refs/tags/v1'],
  ['symrefs', 'ref-prefix refs/heads/ma'],
  ['unborn', 'symrefs', 'ref-prefix H'],
  ['ref-prefix refs/heads/ünï'],
  ['ref-prefix refs/keep-around/'],
  ['ref-prefix '],
  ['ref-prefix nothing'],
]

describe('the list of refs for clients', () => {
  it.each(ARGUMENTS.map((args) => ({ args })))('is the same as that of git: $args', async ({ args }) => {
    const { repo } = await tern()
    const input = request(args)
    expect(await answerLsRefs(repo, input)).toBe(gitAnswers(repo, input))
  })

  it.each(ARGUMENTS.map((args) => ({ args })))('of an empty repository, too: $args', async ({ args }) => {
    const repo = await emptyRepo()
    const input = request(args)
    expect(await answerLsRefs(repo, input)).toBe(gitAnswers(repo, input))
  })

  it('is read once until a ref changes, by the server or by git', async () => {
    const { repo, first, second, operations } = await tern()
    const input = request(['peel', 'symrefs'])
    const answer = () => answerLsRefs(repo, input)
    const lists = () => operations.filter(({ operation }) => operation === 'refs.list').length
    // A list that is read directly after a change is not cached, because the file times may not show a second change.
    await expect.poll(async () => [await answer(), lists()].length && lists()).toBeGreaterThan(0)
    const settled = async (): Promise<number> => {
      const before = lists()
      await answer()
      return lists() - before
    }
    await expect.poll(settled).toBe(0)
    await updateRefs(repo, [{ ref: 'refs/heads/main', old: second, new: first }])
    expect(await answer()).toBe(gitAnswers(repo, input))
    await expect.poll(settled).toBe(0)
    shell(repo, ['update-ref', 'refs/heads/main', second])
    expect(await answer()).toBe(gitAnswers(repo, input))
    await expect.poll(settled).toBe(0)
    shell(repo, ['update-ref', 'refs/heads/deep/new', first])
    expect(await answer()).toBe(gitAnswers(repo, input))
    await expect.poll(settled).toBe(0)
    shell(repo, ['pack-refs', '--all'])
    shell(repo, ['update-ref', '-d', 'refs/heads/deep/new'])
    expect(await answer()).toBe(gitAnswers(repo, input))
    await expect.poll(settled).toBe(0)
    shell(repo, ['symbolic-ref', 'HEAD', 'refs/heads/ünï/tide'])
    expect(await answer()).toBe(gitAnswers(repo, input))
  })

  it('is left to git if a ref is symbolic or a tag of a tag', async () => {
    const { repo, first } = await tern()
    const input = request(['peel', 'symrefs'])
    shell(repo, ['update-ref', '--no-deref', 'HEAD', first])
    expect(await answerLsRefs(repo, input)).toBeUndefined()
    shell(repo, ['symbolic-ref', 'HEAD', 'refs/heads/main'])
    shell(repo, ['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'])
    expect(await answerLsRefs(repo, input)).toBeUndefined()
    shell(repo, ['symbolic-ref', '-d', 'refs/heads/alias'])
    expect(await answerLsRefs(repo, input)).toBe(gitAnswers(repo, input))
    const tag = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', 'tag', '-a', '-m', 'Two']
    shell(repo, [...tag, 'of-tag', 'v1'])
    expect(await answerLsRefs(repo, input)).toBeUndefined()
  })

  it.each([
    ['an unknown argument', request(['deepen 3'])],
    ['another object format', request([], ['command=ls-refs', 'object-format=sha256'])],
    ['an unknown capability', request([], ['command=ls-refs', 'server-option=x'])],
    ['no end', request(['peel']).subarray(0, -4)],
    ['a cut line', request(['peel']).subarray(0, -6)],
    ['a second request', Buffer.concat([request(['peel']), request(['peel'])])],
    ['a length that lies', Buffer.from('ffffcommand=ls-refs')],
    ['a length that is no number', Buffer.from('zzzz')],
    ['nothing', Buffer.alloc(0)],
  ])('is left to git for %s', async (_case, input) => {
    const { repo } = await tern()
    expect(await answerLsRefs(repo, input)).toBeUndefined()
  })
})

describe('the list of refs for a push', () => {
  /** The refs that git itself lists. */
  function gitLists(repo: Repo): string {
    const config = [...TRANSFER_CONFIG, ...PUSH_OFFER].flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const args = [...config, 'receive-pack', '--stateless-rpc', '--advertise-refs', repo.gitDir]
    return execFileSync(GIT_BINARY, args, { encoding: 'utf8' })
  }

  it('is the same as that of git, without refs that only the server writes', async () => {
    const { repo } = await tern()
    const expected = gitLists(repo)
    expect(expected).not.toContain('merge-requests')
    expect(await pushAdvertisement(repo, capabilitiesIn(Buffer.from(expected))!)).toBe(expected)
  })

  it('is the same as that of git for an empty repository', async () => {
    const repo = await emptyRepo()
    const expected = gitLists(repo)
    expect(await pushAdvertisement(repo, capabilitiesIn(Buffer.from(expected))!)).toBe(expected)
  })
})
