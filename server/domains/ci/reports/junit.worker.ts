import { serve } from '../../../threads/serve.ts'
import { parseJunit } from './junit.ts'
import type { JunitWork } from './read.ts'

serve<JunitWork>((documents) => parseJunit(documents))
