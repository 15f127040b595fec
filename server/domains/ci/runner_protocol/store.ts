import type { Database } from '../../../db/database.ts'

/** Records that the runner of a job reported it as running. */
export function noteHeartbeat(db: Database, jobId: number, now: string): void {
  db.exec('UPDATE ci_jobs SET heartbeat_at = ? WHERE id = ?', now, jobId)
}

/** Stores the runner's checksum of the log. */
export function noteChecksum(db: Database, jobId: number, checksum: string): void {
  db.exec('UPDATE ci_jobs SET trace_checksum = ? WHERE id = ?', checksum, jobId)
}

/** Marks a log that may contain secrets, because the runner traces every command. */
export function noteDebugTrace(db: Database, jobId: number): void {
  db.exec('UPDATE ci_jobs SET debug_trace = 1 WHERE id = ?', jobId)
}
