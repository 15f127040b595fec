import { afterAll } from 'vitest'

import { end } from './at-end.ts'

// Runs for each test file, also where files share their modules.
afterAll(end)
