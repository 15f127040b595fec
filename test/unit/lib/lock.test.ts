import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'
import { isPossible } from '../../support/possible.ts'

import { StartupError } from '../../../server/lib/fail.ts'
import { lockDataDir } from '../../../server/lib/lock.ts'

function place(): { dir: string; file: string } {
  const dir = mkdtempSync(join(tmpdir(), 'deskforge-lock-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return { dir, file: join(dir, 'deskforge.lock') }
}

describe('the lock of a data folder', () => {
  it('belongs to one at a time', () => {
    const { dir, file } = place()
    const lock = lockDataDir(file, dir)
    expect(() => lockDataDir(file, dir)).toThrow(StartupError)
    expect(() => lockDataDir(file, dir)).toThrow(
      `Another instance (process ${process.pid}) already uses the data folder ${dir}.`,
    )
    lock.release()
    expect(existsSync(file)).toBe(false)
    lockDataDir(file, dir).release()
  })

  it('is taken over from a process that is gone', () => {
    const { dir, file } = place()
    const gone = spawnSync(process.execPath, ['-e', '']).pid
    writeFileSync(file, `${gone} 123\n`)
    const lock = lockDataDir(file, dir)
    expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^${process.pid} `))
    lock.release()
  })

  it.runIf(isPossible(process.platform === 'linux', 'only Linux says in /proc when a process started.'))(
    'is taken over when its process id went to another program',
    () => {
      const { dir, file } = place()
      writeFileSync(file, `${process.pid} 1\n`)
      lockDataDir(file, dir).release()
    },
  )

  it('is taken over when the file says nothing', () => {
    const { dir, file } = place()
    for (const text of ['', 'nonsense', '-5 3', '0 0']) {
      writeFileSync(file, text)
      lockDataDir(file, dir).release()
    }
  })

  it('says in one sentence that the folder cannot be written', () => {
    const { dir } = place()
    expect(() => lockDataDir(join(dir, 'missing', 'deskforge.lock'), dir)).toThrow(StartupError)
  })

  it('goes to exactly one of many that start together on the lock of a crashed one', async () => {
    const { file } = place()
    const module = new URL('../../../server/lib/lock.ts', import.meta.url).href
    const script = `
      const { lockDataDir } = await import(${JSON.stringify(module)})
      process.stdout.write('ready\\n')
      process.stdin.once('data', () => {
        try { lockDataDir(${JSON.stringify(file)}, 'x'); process.stdout.write('mine\\n') }
        catch (error) { process.stdout.write(error.constructor.name + '\\n') }
      })`
    const started = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    onTestFinished(() => started.forEach((child) => void child.kill()))
    const said = (child: (typeof started)[number]): Promise<string> =>
      new Promise((resolve) => child.stdout.once('data', (text: Buffer) => resolve(text.toString().trim())))
    await Promise.all(started.map(said))
    writeFileSync(file, '999999999 1\n')
    const answers = Promise.all(started.map(said))
    for (const child of started) child.stdin.write('go\n')
    expect((await answers).filter((answer) => answer === 'mine')).toHaveLength(1)
  })
})
