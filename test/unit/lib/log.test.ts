import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { stat } from 'node:fs/promises'

import { describe, expect, it, onTestFinished } from 'vitest'
import { isPossible } from '../../support/possible.ts'

import { openLog } from '../../../server/lib/log.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'deskforge-log-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

const written = (log: ReturnType<typeof openLog>): Promise<void> =>
  new Promise((resolve, reject) => log.flush((error) => (error ? reject(error) : resolve())))

describe('the log', () => {
  it('masks secrets at any depth', async () => {
    const dir = folder()
    const log = openLog(dir, 'info')
    log.info(
      { password: 'geheim', headers: { authorization: 'geheim', cookie: 'geheim' }, token: 'geheim' },
      'a',
    )
    log.info({ body: { private_token: 'geheim', name: 'open' } }, 'b')
    await written(log)
    const text = readFileSync(join(dir, 'deskforge.log'), 'utf8')
    expect(text).not.toContain('geheim')
    expect(text).toContain('open')
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { msg: string }).msg),
    ).toEqual(['a', 'b'])
  })

  it('rotates a large file of an earlier run', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'deskforge.log'), Buffer.alloc(16 * 1024 * 1024 + 1))
    const log = openLog(dir, 'info')
    log.info('new')
    await written(log)
    expect(statSync(join(dir, 'deskforge.1.log')).size).toBe(16 * 1024 * 1024 + 1)
    expect(statSync(join(dir, 'deskforge.log')).size).toBeLessThan(1000)
  })

  it('rotates the current file when it is large', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'deskforge.log'), Buffer.alloc(16 * 1024 * 1024 - 100))
    const log = openLog(dir, 'info')
    log.info('x'.repeat(200))
    await written(log)
    log.info('next')
    await written(log)
    expect(statSync(join(dir, 'deskforge.1.log')).size).toBeGreaterThan(16 * 1024 * 1024)
    const text = readFileSync(join(dir, 'deskforge.log'), 'utf8')
    expect(text.trim().split('\n')).toEqual([expect.stringContaining('"next"')])
  })

  it('creates its file with the first entry, and none if that is impossible', async () => {
    const dir = folder()
    const log = openLog(join(dir, 'logs'), 'info')
    expect(existsSync(join(dir, 'logs'))).toBe(false)
    writeFileSync(join(dir, 'logs'), 'a file where the folder should be')
    log.info('lost')
    await written(log)
    rmSync(join(dir, 'logs'))
    log.info('kept')
    await written(log)
    expect(readFileSync(join(dir, 'logs', 'deskforge.log'), 'utf8')).toContain('kept')
  })

  it.runIf(
    isPossible(process.platform === 'linux', 'only Linux has /dev/full, the disk that is always full.'),
  )('does not end the process when the disk is full', async () => {
    const dir = folder()
    symlinkSync('/dev/full', join(dir, 'deskforge.log'))
    const seen: unknown[] = []
    const note = (error: unknown): void => void seen.push(error)
    process.on('uncaughtException', note)
    onTestFinished(() => void process.off('uncaughtException', note))
    const log = openLog(dir, 'info')
    for (let line = 0; line < 200; line++) log.info({ line }, 'x'.repeat(100))
    for (let turn = 0; turn < 50; turn++) await stat(dir)
    await written(log)
    rmSync(join(dir, 'deskforge.log'))
    expect(seen).toEqual([])
  })
})
