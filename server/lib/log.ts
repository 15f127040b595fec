import { mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { destination, pino, type Logger as PinoLogger } from 'pino'

/** Structured log, JSON lines. ERROR only if someone must act; a healthy day has none. */
export type Logger = PinoLogger

const MAX_LOG_BYTES = 16 * 1024 * 1024

/** Names of fields that never reach the log in clear. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'token',
  'private_token',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.token',
  '*.private_token',
]

function openFile(dir: string) {
  mkdirSync(dir, { recursive: true })
  const file = join(dir, 'deskforge.log')
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size > MAX_LOG_BYTES) renameSync(file, join(dir, 'deskforge.1.log'))
  return destination({ fd: openSync(file, 'a', 0o600), sync: false, minLength: 4096 })
}

/**
 * A log in `<dir>/deskforge.log`; the file of an earlier run is kept as `deskforge.1.log` once it is over 16 MB. The
 * file is opened with the first line, so that a start that fails leaves nothing behind. Lines are gathered and written
 * in the background; `flush()` writes what is left.
 */
export function openLog(dir: string, level: string): Logger {
  if (level === 'silent') return pino({ level: 'silent' })
  let file: ReturnType<typeof openFile> | undefined
  const out = {
    write: (line: string) => void (file ??= openFile(dir)).write(line),
    flush: (done?: () => void) => {
      file?.flushSync()
      done?.()
    },
  }
  return pino({ level, base: null, redact: { paths: SECRETS, censor: '[masked]' } }, out)
}
