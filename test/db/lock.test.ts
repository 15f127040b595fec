import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { lockDataDir, runningInstanceIn } from '../../server/db/lock.ts'
import { StartupError } from '../../server/lib/fail.ts'
import { isPossible } from '../support/possible.ts'
import { canMount, NEEDS_MOUNT, smallDisk } from '../support/small-disk.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'deskforge-lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Starts processes that try to take the lock at the same moment, and keep it. */
async function rivals(dir: string, count: number) {
  const module = new URL('../../server/db/lock.ts', import.meta.url).href
  const script = `
    const { lockDataDir } = await import(${JSON.stringify(module)})
    process.stdout.write('ready\\n')
    process.stdin.once('data', () => {
      try { globalThis.lock = lockDataDir(${JSON.stringify(dir)}); process.stdout.write('mine\\n') }
      catch (error) { process.stdout.write(error.message + '\\n') }
    })`
  const started = Array.from({ length: count }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  onTestFinished(() => started.forEach((child) => void child.kill('SIGKILL')))
  const firstLineOf = (child: (typeof started)[number]): Promise<string> =>
    new Promise((resolve) => child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())))
  await Promise.all(started.map(firstLineOf))
  return {
    started,
    race: (): Promise<string[]> => {
      const answers = Promise.all(started.map(firstLineOf))
      for (const child of started) child.stdin.write('go\n')
      return answers
    },
  }
}

describe('the lock of a data folder', () => {
  it('has one owner at a time, and names its process', () => {
    const dir = folder()
    expect(runningInstanceIn(dir)).toBeUndefined()
    const lock = lockDataDir(dir)
    expect(() => lockDataDir(dir, 0)).toThrow(StartupError)
    lock.setAddress('http://127.0.0.1:7080')
    const sentence = `Another instance (process ${process.pid}, http://127.0.0.1:7080) already uses the data folder ${dir}.`
    expect(() => lockDataDir(dir, 0)).toThrow(sentence)
    expect(runningInstanceIn(dir)).toBe(sentence)
    lock.release()
    lock.release()
    expect(runningInstanceIn(dir)).toBeUndefined()
    lockDataDir(dir).release()
  })

  it('does not rely on process ids', async () => {
    const dir = folder()
    // The ID of a process in another container may belong to another process here, or to none.
    for (const pid of [process.pid, 1, 999_999_999]) {
      writeFileSync(join(dir, 'instance.json'), JSON.stringify({ pid, host: 'elsewhere' }))
      lockDataDir(dir).release()
    }
    const { race } = await rivals(dir, 1)
    expect(await race()).toEqual(['mine'])
    writeFileSync(join(dir, 'instance.json'), JSON.stringify({ pid: 999_999_999, host: 'elsewhere' }))
    expect(() => lockDataDir(dir, 0)).toThrow(
      `Another instance (process 999999999 on elsewhere) already uses the data folder ${dir}.`,
    )
    for (const text of ['', 'null', '[]', '{"pid":"<b>"}', 'nonsense']) {
      writeFileSync(join(dir, 'instance.json'), text)
      expect(() => lockDataDir(dir, 0)).toThrow(`Another instance already uses the data folder ${dir}.`)
    }
  })

  it('is free at once when its owner is killed', async () => {
    const dir = folder()
    for (let round = 0; round < 3; round++) {
      const { started, race } = await rivals(dir, 1)
      expect(await race()).toEqual(['mine'])
      started[0]!.kill('SIGKILL')
      await once(started[0]!, 'close')
      lockDataDir(dir).release()
    }
  })

  it('goes to exactly one of many instances that start at once after a crash', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'deskforge.lock'), '999999999 1\n')
    const { race } = await rivals(dir, 6)
    const answers = await race()
    expect(answers.filter((answer) => answer === 'mine')).toHaveLength(1)
    expect(answers.filter((answer) => answer.startsWith('Another instance'))).toHaveLength(5)
    expect(existsSync(join(dir, 'deskforge.lock'))).toBe(false)
  })

  it('reports a read-only folder in one sentence', () => {
    expect(() => lockDataDir(join(folder(), 'missing'))).toThrow(
      /^The data folder .* cannot be written: .*\.$/,
    )
  })

  it.runIf(isPossible(canMount(), NEEDS_MOUNT))('can be acquired on a full disk', () => {
    const disk = smallDisk(1)
    onTestFinished(() => disk.clear())
    mkdirSync(join(disk.folder, 'data'))
    disk.fill()
    const dir = join(disk.folder, 'data')
    const lock = lockDataDir(dir)
    lock.setAddress('http://127.0.0.1:7080')
    expect(runningInstanceIn(dir)).toContain('already uses')
    lock.release()
    disk.makeRoom()
    lockDataDir(dir).setAddress('http://127.0.0.1:7080')
    expect(JSON.parse(readFileSync(join(dir, 'instance.json'), 'utf8'))).toMatchObject({ pid: process.pid })
  })
})
