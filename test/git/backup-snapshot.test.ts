import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { Snapshot } from '../../server/domains/backups/snapshot/take.ts'
import { tempDir } from '../support/git.ts'
import { refsOf } from '../support/same-instance.ts'

const git = (dir: string, ...args: string[]): string =>
  execFileSync('git', ['--git-dir', dir, '-c', 'user.name=A', '-c', 'user.email=a@example.test', ...args], {
    encoding: 'utf8',
    input: '',
    stdio: ['pipe', 'pipe', 'ignore'],
  }).trim()

/** A data folder with one repository. It has packed and loose refs, annotated and lightweight tags, and packed and loose objects. */
function instance(): { dataDir: string; repository: string } {
  const dataDir = tempDir()
  const repository = join(dataDir, 'repositories/@hashed/aa/bb/one.git')
  mkdirSync(dirname(repository), { recursive: true })
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', repository])
  const commit = (message: string, ...parents: string[]): string =>
    git(
      repository,
      'commit-tree',
      git(repository, 'mktree'),
      '-m',
      message,
      ...parents.flatMap((parent) => ['-p', parent]),
    )
  const first = commit('first')
  git(repository, 'update-ref', 'refs/heads/main', first)
  git(repository, 'update-ref', 'refs/heads/old', first)
  git(repository, 'tag', '-a', 'v1', '-m', 'one', first)
  git(repository, 'gc', '-q')
  const second = commit('second', first)
  git(repository, 'update-ref', 'refs/heads/main', second)
  git(repository, 'update-ref', 'refs/heads/a/deep/one', second)
  git(repository, 'tag', 'v2', second)
  git(repository, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main')
  // A crash may leave these files.
  writeFileSync(join(repository, 'refs/heads/main.lock'), '')
  mkdirSync(join(dataDir, 'uploads/x'), { recursive: true })
  writeFileSync(join(dataDir, 'uploads/x/file.txt'), 'content')
  writeFileSync(join(dataDir, 'uploads/x/half.part'), 'half')
  return { dataDir, repository }
}

/** Writes the content of a snapshot into a folder. */
function writeOut(snapshot: Snapshot, to: string): void {
  for (const { entry, content } of snapshot.sources()) {
    const path = join(to, entry.name)
    mkdirSync(entry.kind === 'folder' ? path : dirname(path), { recursive: true })
    if (entry.kind !== 'folder')
      writeFileSync(path, 'file' in content ? readFileSync(content.file) : content.bytes)
  }
}

describe('a snapshot', () => {
  it.each([
    ['links', false],
    ['copies, where there are no links,', true],
  ])('contains by %s the state at its start, whatever changes later', (_how, copies) => {
    const { dataDir, repository } = instance()
    const storages = [{ name: 'default', folder: join(dataDir, 'repositories') }]
    const before = refsOf(repository)
    const snapshot = new Snapshot({ dataDir, backups: join(dataDir, 'backups'), storages, mtime: 1, copies })
    snapshot.readRefs()
    expect(snapshot.repositories).toBe(1)
    snapshot.link()
    expect(snapshot.copied > 0).toBe(copies)
    rmSync(repository, { recursive: true })
    rmSync(join(dataDir, 'uploads'), { recursive: true })
    const out = tempDir()
    writeOut(snapshot, out)
    expect(refsOf(join(out, 'storages/default/@hashed/aa/bb/one.git'))).toEqual(before)
    expect(before.refs).toHaveLength(6)
    expect(readdirSync(join(out, 'data/uploads/x'))).toEqual(['file.txt'])
    snapshot.remove()
    expect(readdirSync(join(dataDir, 'repositories'))).not.toContain('.snapshot')
    expect(readdirSync(join(dataDir, 'backups'))).toEqual([])
  })

  it('finds objects that are packed during the snapshot', () => {
    const { dataDir, repository } = instance()
    const storages = [{ name: 'default', folder: join(dataDir, 'repositories') }]
    const before = refsOf(repository)
    const snapshot = new Snapshot({ dataDir, backups: join(dataDir, 'backups'), storages, mtime: 1 })
    snapshot.readRefs()
    rmSync(join(repository, 'refs/heads/main.lock'))
    git(repository, 'gc', '-q')
    snapshot.link()
    const out = tempDir()
    writeOut(snapshot, out)
    expect(refsOf(join(out, 'storages/default/@hashed/aa/bb/one.git'))).toEqual(before)
    snapshot.remove()
  })
})
