import { section, unproven } from '../section.ts'

export const statements = section('Project, Group and Instance Management REST Service', async () => ({}), [
  unproven(
    'This single document covers the whole service: conventions, resources and fields, states, endpoints, authentication, events, errors, limits and versioning. Where the interface leaves something open, the words not shown mark the place.',
    'Introduces the document.',
  ),
])
