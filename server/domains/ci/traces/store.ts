import type { Database } from '../../../db/database.ts'

/** A chunk of a log, as the runner sent it. */
export interface TraceChunk {
  readonly start: number
  readonly bytes: Buffer
}

/** The current size of a job's log in bytes. Undefined if the job was deleted. */
export function sizeOf(db: Database, jobId: number): number | undefined {
  return db.one<{ trace_size: number }>('SELECT trace_size FROM ci_jobs WHERE id = ?', jobId)?.trace_size
}

/** Appends a chunk, and records the time as that of the runner's last request for the job. */
export function append(db: Database, jobId: number, { start, bytes }: TraceChunk, now: string): void {
  db.exec('INSERT INTO ci_trace_pieces (job_id, start, bytes) VALUES (?, ?, ?)', jobId, start, bytes)
  db.exec(
    'UPDATE ci_jobs SET trace_size = ?, heartbeat_at = ? WHERE id = ?',
    start + bytes.length,
    now,
    jobId,
  )
}

/** The chunk that contains the byte at `offset`. Undefined if the log is a file or ends before. */
export function chunkAt(db: Database, jobId: number, offset: number): TraceChunk | undefined {
  const chunk = db.one<TraceChunk>(
    'SELECT start, bytes FROM ci_trace_pieces WHERE job_id = ? AND start <= ? ORDER BY start DESC LIMIT 1',
    jobId,
    offset,
  )
  return chunk && offset < chunk.start + chunk.bytes.length ? chunk : undefined
}

export function hasChunks(db: Database, jobId: number): boolean {
  return db.one('SELECT 1 FROM ci_trace_pieces WHERE job_id = ? LIMIT 1', jobId) !== undefined
}

/** Removes the chunks of a log. */
export function removeChunks(db: Database, jobId: number): void {
  db.exec('DELETE FROM ci_trace_pieces WHERE job_id = ?', jobId)
}

/** Removes the chunks and the file row of a log. Returns whether there was a log. */
export function removeTrace(db: Database, jobId: number): boolean {
  removeChunks(db, jobId)
  db.exec("DELETE FROM ci_artifacts WHERE job_id = ? AND file_type = 'trace'", jobId)
  return (
    db.exec('UPDATE ci_jobs SET trace_size = 0, trace_checksum = NULL WHERE id = ? AND trace_size > 0', jobId)
      .changes > 0
  )
}

/** The IDs of finished jobs with a log that is still in chunks, which happens after a crash. */
export function jobsWithChunks(db: Database, before: string, limit: number): number[] {
  const sql = `SELECT DISTINCT j.id FROM ci_trace_pieces t CROSS JOIN ci_jobs j ON j.id = t.job_id
    WHERE j.status NOT IN ('running', 'canceling') AND j.updated_at < ? LIMIT ?`
  return db.many<{ id: number }>(sql, before, limit).map((row) => row.id)
}
