import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'

import { expect, it, vi } from 'vitest'

import { fill, onDisk } from '../api/repository/fill.ts'
import { shell } from '../support/git.ts'
import { world } from '../support/world.ts'
import { addressOf, commit, git, local } from './remote.ts'

const instance = await world()
const { make, root } = instance
const address = addressOf(instance)

/** The arguments of the git processes that transfer this repository. */
function transfers(gitDir: string): string[] {
  const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n')
  return all.filter(
    (line) => line.includes(gitDir) && /upload-pack|receive-pack|pack-objects|index-pack/.test(line),
  )
}

/** Sends a request and aborts it once `until` returns true. */
async function giveUp(head: string, body: Buffer, until: () => void): Promise<void> {
  const { port } = new URL(instance.url)
  const socket = connect(Number(port), '127.0.0.1')
  // The test never reads the response, so its buffers fill and git has to wait.
  socket.pause()
  socket.write(head)
  socket.write(body)
  try {
    await vi.waitFor(until, { timeout: 10_000 })
  } finally {
    socket.destroy()
  }
}

const headOf = (path: string, service: string, more: string) =>
  [
    `POST /${path}.git/${service} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Basic ${Buffer.from(`x:${root.token}`).toString('base64')}`,
    `Content-Type: application/x-${service}-request`,
    more,
    '',
    '',
  ].join('\r\n')

it('the server ends its git processes when a clone is aborted', async () => {
  const project = await make.project({})
  const [id] = fill(instance, project, [{ files: { 'big.bin': randomBytes(24 * 1024 * 1024) } }])
  const { gitDir } = onDisk(instance, project)
  const want = `want ${id} side-band-64k ofs-delta\n`
  const body = Buffer.from(`${(want.length + 4).toString(16).padStart(4, '0')}${want}00000009done\n`)
  const head = headOf(project.path_with_namespace, 'git-upload-pack', `Content-Length: ${body.length}`)
  await giveUp(head, body, () => expect(transfers(gitDir)).not.toEqual([]))
  await expect.poll(() => transfers(gitDir), { timeout: 10_000 }).toEqual([])
})

it('the server ends its git processes when a push is aborted, and changes nothing', async () => {
  const project = await make.project({})
  const folder = local()
  await git(folder, 'push', '-q', address(project, root), 'main')
  const { gitDir } = onDisk(instance, project)
  const before = shell(gitDir, ['rev-parse', 'main'])
  const next = commit(folder, 'a.txt', 'a\n')
  const update = `${before} ${next} refs/heads/main\0report-status side-band-64k`
  const line = `${(update.length + 4).toString(16).padStart(4, '0')}${update}0000`
  // The beginning of a pack without an end.
  const body = Buffer.concat([Buffer.from(line), Buffer.from('PACK\0\0\0\x02\0\0\0\x03')])
  const head = headOf(
    project.path_with_namespace,
    'git-receive-pack',
    `Content-Length: ${body.length + 100_000}`,
  )
  const { runningWork } = instance.instance
  await giveUp(head, body, () => {
    expect(transfers(gitDir)).not.toEqual([])
    expect(runningWork()).toEqual([{ kind: 'push', name: project.path_with_namespace }])
  })
  await expect.poll(() => transfers(gitDir), { timeout: 10_000 }).toEqual([])
  await expect.poll(() => runningWork()).toEqual([])
  expect(shell(gitDir, ['rev-parse', 'main'])).toBe(before)
  expect(shell(gitDir, ['fsck', '--full', '--no-dangling'])).toBe('')
  expect((await git(folder, 'push', '-q', address(project, root), 'main')).code).toBe(0)
  expect(instance.ctx().db.many('SELECT * FROM ref_journal')).toEqual([])
})
