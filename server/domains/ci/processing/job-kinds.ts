import { z } from 'zod'

import { jobKind } from '../../../jobs/job.ts'

const args = { job_id: z.number() }

/** Starts a delayed job at its time. */
export const startDelayedJob = jobKind('ci.start_delayed', { args })

/** Creates the pipeline of a trigger job. */
export const downstreamJob = jobKind('ci.create_downstream', { args })

/** Looks again at the pipeline of another project that a job takes its status from. */
export const mirrorJob = jobKind('ci.mirror_pipeline', { args })

/** Reads the test coverage out of the log of a job that is over. */
export const coverageJob = jobKind('ci.read_coverage', { args })
