/* Several encoder threads: every record is in one file, once, and the records of a stream are in order by
 * the number of the file and the place in it, however many threads a killed consumerd and its successors
 * have. README.md says what this leaves to exactly_once.pml.
 *
 * All records are published at the beginning. A record is one byte; a slot holds one record. A step is what
 * a SIGKILL cannot divide. The threads are states of one process, whose steps interleave in every way.
 */
#ifndef RECORDS /* of each ring */
#define RECORDS 2
#endif
#ifndef KILLS
#define KILLS 2
#endif
#define RINGS 2
#define SHARES 2
#define FILES 5
#define FILE_BYTES (RINGS * RECORDS)
#define CODE(r, n) (1 + (r) * RECORDS + (n))
#define NO_FILE FILES

/* ---- What outlives consumerd ---- */

byte ring_pos[RINGS];
typedef Slot {
  bool committed;
  bool written; /* ghost variable: the disk has the byte */
  byte of_file;
  byte offset;
  byte data;
  byte of_ring;
  byte pos
}
Slot slot[SHARES]; /* each thread's own */
typedef File {
  byte data[FILE_BYTES];
  byte bytes
}
File file[FILES];
byte files; /* with a name: 0 to files - 1 */

/* ---- consumerd's private memory ---- */

byte threads;
byte share_of[RINGS];
byte c_pos[RINGS];
byte file_of[SHARES];
byte next_offset[SHARES];
byte step[SHARES]; /* of a thread: 0 waits, 1 copied, 2 committed */
bool sealed[SHARES];
byte kills_left = KILLS;

inline store_in_file(s) {
  assert(slot[s].offset < FILE_BYTES);
  assert(file[slot[s].of_file].data[slot[s].offset] == 0 ||
         file[slot[s].of_file].data[slot[s].offset] == slot[s].data);
  file[slot[s].of_file].data[slot[s].offset] = slot[s].data;
  if
  :: file[slot[s].of_file].bytes <= slot[s].offset -> file[slot[s].of_file].bytes = slot[s].offset + 1
  :: else
  fi
}

#define NEWEST (files - 1)
#define IS_OF(r, t) (share_of[r] == t && c_pos[r] < RECORDS)
#define CAN_COPY(t) (step[t] == 0 && !slot[t].committed && !sealed[t] && (IS_OF(0, t) || IS_OF(1, t)))
#define AT_REST (step[0] == 0 && step[1] == 0)

/* The ring with the lower number first: their order does not matter here. */
inline copy(t) {
  r = (IS_OF(0, t) -> 0 : 1);
  slot[t].data = CODE(r, c_pos[r]);
  slot[t].of_file = file_of[t];
  slot[t].offset = next_offset[t];
  slot[t].of_ring = r;
  c_pos[r]++;
  slot[t].pos = c_pos[r];
  step[t] = 1;
  r = 0
}

inline forget() {
  atomic {
    for (i : 0 .. SHARES - 1) {
      step[i] = 0;
      sealed[i] = false;
      slot[i].written = false;
      file_of[i] = NO_FILE;
      next_offset[i] = 0
    }
    for (i : 0 .. RINGS - 1) { share_of[i] = 0; c_pos[i] = 0 }
    threads = 0;
    i = 0
  }
}

/* A write that is under way reaches the file before the successor reads its length, or never: recovery
 * writes the same byte. */
inline maybe_die() {
  if
  :: kills_left > 0 -> kills_left--; goto killed
  :: true
  fi
}

active proctype consumerd() {
  byte i, t, r, f, n;
killed:
  do
  :: i < SHARES && sealed[i] && !slot[i].written -> /* the disk may have it, or not */
     if
     :: d_step { store_in_file(i); i++ }
     :: i++
     fi
  :: i < SHARES && !(sealed[i] && !slot[i].written) -> i++
  :: i == SHARES -> break
  od;
  forget();

  /* The successor: first all bytes of all threads, then all positions. */
  t = 0;
  do
  :: t < SHARES ->
     atomic {
       if
#ifdef FAULT_RECOVERS_ONE_THREAD
       :: slot[t].committed && t == 0 -> d_step { store_in_file(t) }
#else
       :: slot[t].committed -> d_step { store_in_file(t) }
#endif
       :: else
       fi;
       t++
     }
     maybe_die()
  :: t == SHARES -> break
  od;
  t = 0;
  do
  :: t < SHARES ->
     atomic {
       if
       :: slot[t].committed && slot[t].pos > ring_pos[slot[t].of_ring] ->
#ifdef FAULT_RECOVERS_ONE_THREAD
          if
          :: t == 0 -> ring_pos[slot[t].of_ring] = slot[t].pos
          :: else
          fi
#else
          ring_pos[slot[t].of_ring] = slot[t].pos
#endif
       :: else
       fi;
       t++
     }
     maybe_die()
  :: t == SHARES -> break
  od;
  atomic { /* the staging file is removed */
    t = 0;
    for (i : 0 .. SHARES - 1) { slot[i].committed = false }
    i = 0
  }

  /* It takes the segment over, and continues in the file with the highest number. */
  atomic {
    for (i : 0 .. RINGS - 1) { c_pos[i] = ring_pos[i] }
    i = 0;
    if
    :: files == 0 -> files = 1
    :: else
    fi;
#ifdef FAULT_CONTINUES_IN_FIRST_FILE
    file_of[0] = 0;
#else
    file_of[0] = NEWEST;
#endif
    next_offset[0] = file[file_of[0]].bytes
  }
  if
  :: threads = 1
  :: threads = 2
  fi;

  do
  /* A thread's round: copy and encode, commit, release. */
  :: atomic { CAN_COPY(0) -> copy(0) }
  :: atomic { CAN_COPY(1) && file_of[1] != NO_FILE -> copy(1) }
  :: atomic { step[0] == 1 -> slot[0].committed = true; step[0] = 2 }
  :: atomic { step[1] == 1 -> slot[1].committed = true; step[1] = 2 }
  :: atomic {
       step[0] == 2 -> ring_pos[slot[0].of_ring] = slot[0].pos; step[0] = 0; sealed[0] = true;
       next_offset[0]++
     }
  :: atomic {
       step[1] == 2 -> ring_pos[slot[1].of_ring] = slot[1].pos; step[1] = 0; sealed[1] = true;
       next_offset[1]++
     }

  /* The disk, for each file independently. */
  :: atomic { sealed[0] && !slot[0].written -> store_in_file(0); slot[0].written = true }
  :: atomic { sealed[1] && !slot[1].written -> store_in_file(1); slot[1].written = true }
  :: atomic { sealed[0] && slot[0].written -> slot[0].committed = false; slot[0].written = false; sealed[0] = false }
  :: atomic { sealed[1] && slot[1].written -> slot[1].committed = false; slot[1].written = false; sealed[1] = false }

  /* The poll loop, between two rounds. */
  :: atomic { /* divide: another share gets a file */
       AT_REST && threads == 2 && file_of[1] == NO_FILE && files < FILES - 1 ->
       file_of[1] = files;
       next_offset[1] = 0;
       files++
     }
#ifdef FAULT_MOVES_DURING_ROUND
  :: atomic { file_of[1] != NO_FILE && share_of[0] == 0 -> share_of[0] = 1; c_pos[0] = ring_pos[0] }
#else
  :: atomic { AT_REST && file_of[1] != NO_FILE && share_of[0] == 0 -> share_of[0] = 1 }
  :: atomic { AT_REST && file_of[1] != NO_FILE && share_of[1] == 0 -> share_of[1] = 1 }
#endif
#ifdef FAULT_MOVES_BACK
  :: atomic { AT_REST && share_of[0] == 1 -> share_of[0] = 0 }
#endif
  :: atomic { /* a rotation unites */
       AT_REST && files < FILES ->
#ifdef FAULT_UNITES_IN_OLD_FILE
       skip;
#else
       file_of[0] = files;
       next_offset[0] = 0;
       files++;
#endif
       file_of[1] = NO_FILE;
       share_of[0] = 0;
       share_of[1] = 0
     }
  :: kills_left > 0 -> kills_left--; goto killed
  :: c_pos[0] == RECORDS && c_pos[1] == RECORDS && AT_REST && !sealed[0] && !sealed[1] -> break
  od;

  /* A reader: files by number. */
  atomic {
    for (r : 0 .. RINGS - 1) {
      n = 0;
      for (f : 0 .. FILES - 1) {
        for (i : 0 .. FILE_BYTES - 1) {
          if
          :: i < file[f].bytes ->
             assert(file[f].data[i] != 0);
             if
             :: file[f].data[i] >= CODE(r, 0) && file[f].data[i] < CODE(r, RECORDS) ->
                assert(file[f].data[i] == CODE(r, n));
                n++
             :: else
             fi
          :: else
          fi
        }
      }
      assert(n == RECORDS)
    }
  }
}
