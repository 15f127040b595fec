import type { Database } from '../../../db/database.ts'

/** The runner of a job said that it is at it. */
export function noteHeartbeat(db: Database, jobId: number, now: string): void {
  db.exec('UPDATE ci_jobs SET heartbeat_at = ? WHERE id = ?', now, jobId)
}

/** The checksum of the log as the runner wrote it. */
export function noteChecksum(db: Database, jobId: number, checksum: string): void {
  db.exec('UPDATE ci_jobs SET trace_checksum = ? WHERE id = ?', checksum, jobId)
}

/** The log may hold secrets, because the runner writes every command. */
export function noteDebugTrace(db: Database, jobId: number): void {
  db.exec('UPDATE ci_jobs SET debug_trace = 1 WHERE id = ?', jobId)
}
