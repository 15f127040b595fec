import type { Database } from '../../../db/database.ts'

/** Part of a log as the runner sent it. */
export interface Piece {
  readonly start: number
  readonly bytes: Buffer
}

/** Bytes of a job's log so far; undefined for a deleted job. */
export function sizeOf(db: Database, jobId: number): number | undefined {
  return db.one<{ trace_size: number }>('SELECT trace_size FROM ci_jobs WHERE id = ?', jobId)?.trace_size
}

/** Appends a piece, and stores that the runner is alive. */
export function append(db: Database, jobId: number, { start, bytes }: Piece, now: string): void {
  db.exec('INSERT INTO ci_trace_pieces (job_id, start, bytes) VALUES (?, ?, ?)', jobId, start, bytes)
  db.exec(
    'UPDATE ci_jobs SET trace_size = ?, heartbeat_at = ? WHERE id = ?',
    start + bytes.length,
    now,
    jobId,
  )
}

/** The piece with a byte of the log; undefined if the log is a file, or ends before. */
export function pieceAt(db: Database, jobId: number, offset: number): Piece | undefined {
  const piece = db.one<Piece>(
    'SELECT start, bytes FROM ci_trace_pieces WHERE job_id = ? AND start <= ? ORDER BY start DESC LIMIT 1',
    jobId,
    offset,
  )
  return piece && offset < piece.start + piece.bytes.length ? piece : undefined
}

export function hasPieces(db: Database, jobId: number): boolean {
  return db.one('SELECT 1 FROM ci_trace_pieces WHERE job_id = ? LIMIT 1', jobId) !== undefined
}

/** Removes the pieces of a log. */
export function removePieces(db: Database, jobId: number): void {
  db.exec('DELETE FROM ci_trace_pieces WHERE job_id = ?', jobId)
}

/** Removes the log in every form. True if there was one. */
export function forget(db: Database, jobId: number): boolean {
  removePieces(db, jobId)
  db.exec("DELETE FROM ci_artifacts WHERE job_id = ? AND file_type = 'trace'", jobId)
  return (
    db.exec('UPDATE ci_jobs SET trace_size = 0, trace_checksum = NULL WHERE id = ? AND trace_size > 0', jobId)
      .changes > 0
  )
}

/** Jobs that are over and still have their log in pieces, after a crash or a failed run. */
export function leftInPieces(db: Database, before: string, limit: number): number[] {
  const sql = `SELECT DISTINCT j.id FROM ci_trace_pieces t CROSS JOIN ci_jobs j ON j.id = t.job_id
    WHERE j.status NOT IN ('running', 'canceling') AND j.updated_at < ? LIMIT ?`
  return db.many<{ id: number }>(sql, before, limit).map((row) => row.id)
}
