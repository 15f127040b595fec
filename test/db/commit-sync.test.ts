import { describe, expect, it } from 'vitest'

import { CommitSync } from '../../server/db/commit-sync.ts'
import type { Database } from '../../server/db/database.ts'
import { openDatabase } from '../../server/db/open.ts'
import { Failure } from '../../server/lib/fail.ts'
import { folder, silent } from '../support/database.ts'

/** A disk that ends its syncs when the test says so. */
class Disk {
  readonly syncs: PromiseWithResolvers<void>[] = []

  readonly sync = (): Promise<void> => {
    const running = Promise.withResolvers<void>()
    this.syncs.push(running)
    return running.promise
  }
}

/** Notes in `order` when a promise resolves. */
function noting(order: string[], name: string, promise: Promise<void> | undefined): Promise<void> {
  return Promise.resolve(promise).then(() => void order.push(name))
}

describe('CommitSync', () => {
  it('waits for nothing when everything is on disk', () => {
    const disk = new Disk()
    expect(new CommitSync(disk.sync).stored()).toBeUndefined()
    expect(disk.syncs).toHaveLength(0)
  })

  it('syncs once for all earlier commits, and once more for those that arrive during the sync', async () => {
    const disk = new Disk()
    const commits = new CommitSync(disk.sync)
    const order: string[] = []
    commits.committed()
    const first = noting(order, 'first', commits.stored())
    const alike = noting(order, 'alike', commits.stored())
    commits.committed()
    commits.committed()
    const later = noting(order, 'later', commits.stored())
    const latest = noting(order, 'latest', commits.stored())
    expect(disk.syncs).toHaveLength(1)
    disk.syncs[0]!.resolve()
    await Promise.all([first, alike])
    expect(order).not.toContain('later')
    expect(disk.syncs).toHaveLength(2)
    disk.syncs[1]!.resolve()
    await Promise.all([later, latest])
    expect(disk.syncs).toHaveLength(2)
    expect(order.toSorted()).toEqual(['alike', 'first', 'later', 'latest'])
  })

  it('fails with a message when the disk refuses, and tries again for the next caller', async () => {
    const disk = new Disk()
    const commits = new CommitSync(disk.sync)
    commits.committed()
    const refused = commits.stored()
    disk.syncs[0]!.reject(new Error('EIO'))
    await expect(refused).rejects.toMatchObject({ kind: 'no_storage' })
    await expect(refused).rejects.toBeInstanceOf(Failure)
    const again = commits.stored()
    disk.syncs[1]!.resolve()
    await again
    expect(disk.syncs).toHaveLength(2)
  })
})

describe('a database on disk', () => {
  const open = (): Database => {
    const dir = folder()
    return openDatabase({ file: `${dir}/deskforge.db`, backupDir: `${dir}/backups`, log: silent })
  }

  it('stores its commits, and closes while a sync runs', async () => {
    const db = open()
    db.exec("INSERT INTO cron_runs (name, last_run_at) VALUES ('a', 'now')")
    await db.stored()
    db.transaction(() => db.exec("INSERT INTO cron_runs (name, last_run_at) VALUES ('b', 'now')"))
    const stored = db.stored()
    db.close()
    await stored
  })

  it('does not wait for the disk when it commits', () => {
    const db = open()
    expect(db.one('PRAGMA synchronous')).toEqual({ synchronous: 1 })
    db.close()
  })
})
