/* Exactly once: every record that a service publishes is in the trace file once and in order, whichever
 * process is killed at whatever time. README.md maps each step to the code that it models, and lists
 * what the model leaves out.
 *
 * One record is one byte, in the ring and in the file. Its content is its position + 1, so that a read
 * or write at a wrong place or time gives a wrong value. A step is what a SIGKILL cannot divide. -D sets
 * the sizes, and the fault (FAULT_...) of a variant that must be refuted.
 */
#ifndef RINGS
#define RINGS 2
#endif
#ifndef CAPACITY /* of a ring */
#define CAPACITY 2
#endif
#ifndef RECORDS /* of one owner of ring 0, at most */
#define RECORDS 3
#endif
#ifndef RECORDS_1 /* of one owner of ring 1, at most */
#define RECORDS_1 1
#endif
#ifndef OWNERS /* threads that have a ring, one after the other */
#define OWNERS 1
#endif
#ifndef DROPS /* at the end of an owner's stream, at most */
#define DROPS 0
#endif
#ifndef SLOTS
#define SLOTS 2
#endif
#ifndef SLOT_BYTES
#define SLOT_BYTES 2
#endif
#ifndef KILLS /* of consumerd */
#define KILLS 2
#endif

#define STREAM_BYTES (RECORDS * OWNERS)
#define FILE_BYTES ((RECORDS + RECORDS_1 + RINGS * DROPS) * OWNERS)
#define NO_SLOT SLOTS
#define MOST(r) (r == 0 -> RECORDS : RECORDS_1)
#ifdef FAULT_NO_SPACE_CHECK
#define HAS_SPACE(r) true
#else
#define HAS_SPACE(r) (ring[r].producer_pos - ring[r].consumer_pos < CAPACITY)
#endif
#ifdef FAULT_REUSE_BEFORE_DRAIN
#define IS_DRAINED(r) true
#else
#define IS_DRAINED(r) \
  (ring[r].line_generation == ring[r].generation && ring[r].consumer_pos == ring[r].producer_pos && \
   ring[r].booked_drops == ring[r].dropped_total)
#endif

/* The content of a byte of the file; 0 is a hole. */
#define CODE(r, content) (1 + (r) * (STREAM_BYTES + OWNERS) + (content) - 1)
#define DROP_CODE(r, generation) CODE(r, STREAM_BYTES + (generation))

#define FREE 0
#define CLAIMING 1
#define ACTIVE 2
#define RETIRED 3

/* ---- The state that outlives its writer: the segment, the staging file, the trace file ---- */

typedef Ring {
  byte cell[CAPACITY];
  byte producer_pos;
  byte dropped_total;
  byte state;
  byte generation;
  byte start_pos;
  byte consumer_pos;
  byte next_sequence;
  byte booked_drops;
  byte line_generation
}
Ring ring[RINGS];

typedef Entry {
  byte of_ring;
  byte generation;
  byte consumer_pos;
  byte next_sequence;
  byte booked_drops
}
typedef Slot {
  byte commit_bytes; /* these two are one word */
  byte commit_journal;
  byte file_offset;
  byte data[SLOT_BYTES];
  Entry journal[SLOT_BYTES]
}
Slot slot[SLOTS];

byte file[FILE_BYTES];
byte file_bytes;

/* Slots passed to the disk. When their bytes arrive is decided only where it matters: when consumerd
 * learns that all have arrived, and when it is killed after any number of each slot's bytes. */
bool under_way[SLOTS];

chan kill = [0] of { bool }; /* SIGKILL, to consumerd */
byte kills_left = KILLS;
bool service_over;     /* the kernel has dropped the service's lock */
bool left;             /* consumerd has removed the segment */
byte drops_of[RINGS * OWNERS]; /* ghost variable: the losses that the file must report */

/* The content of the file never changes: a repeated write writes the same. */
inline store_in_file(offset, code) {
  assert(offset < FILE_BYTES);
  assert(file[offset] == 0 || file[offset] == code);
  file[offset] = code;
  if
  :: file_bytes <= offset -> file_bytes = offset + 1
  :: else
  fi
}

/* ---- The service: one process stands for the owners of one ring ---- */

proctype producer(byte r) {
  byte made;
  byte owner;
  {
    do
    :: atomic {
         owner < OWNERS &&
         (ring[r].state == FREE || (ring[r].state == RETIRED && IS_DRAINED(r))) ->
         ring[r].state = CLAIMING;
         ring[r].start_pos = ring[r].producer_pos
       }
#if OWNERS > 1
       ring[r].dropped_total = 0;
#endif
       d_step { /* no process distinguishes ACTIVE from CLAIMING */
         ring[r].generation = ring[r].generation + 1;
         ring[r].state = ACTIVE
       }
       do
       :: d_step {
            made < MOST(r) && HAS_SPACE(r) ->
#ifdef FAULT_PUBLISH_BEFORE_BYTES
            ring[r].producer_pos++
          }
          d_step {
            ring[r].cell[(ring[r].producer_pos - 1) % CAPACITY] = ring[r].producer_pos;
            made++
          }
#else
            ring[r].cell[ring[r].producer_pos % CAPACITY] = ring[r].producer_pos + 1
          }
          d_step {
            ring[r].producer_pos++;
            made++
          }
#endif
#if OWNERS > 1 || DROPS
       :: break
#endif
       od;
#if OWNERS > 1 || DROPS
       made = 0;
#if DROPS
       if
       :: d_step {
            ring[r].dropped_total = 1;
            drops_of[r * OWNERS + owner] = 1
          }
       :: skip
       fi;
#endif
       d_step {
         ring[r].state = RETIRED;
         owner++
       }
#endif
end_of_owners:
       skip
    od
  } unless {
    service_over;
end_of_service:
    false
  }
}

/* SIGKILL, to either side, at any time. */
proctype killer() {
end_of_kills:
  do
  :: kills_left > 0 && !left -> atomic { kill ! true -> kills_left-- }
  :: d_step { !service_over -> service_over = true }
  od
}

/* ---- consumerd ---- */

/* Its private memory, lost when it dies. */
byte c_pos[RINGS];
byte c_sequence[RINGS];
byte c_booked[RINGS];
byte c_generation[RINGS];
byte c_slot = NO_SLOT; /* the one being filled */
byte c_used;
byte c_journal;
byte c_next_offset;
bool c_ending;

inline die() {
  s = 0;
  i = 0;
  do
  :: s < SLOTS && under_way[s] && i < slot[s].commit_bytes ->
     d_step {
       store_in_file(slot[s].file_offset + i, slot[s].data[i]);
       i++
     }
  :: s < SLOTS -> atomic { s++; i = 0 }
  :: s == SLOTS -> break
  od;
  s = 0;
  d_step {
    for (i : 0 .. RINGS - 1) {
      c_pos[i] = 0;
      c_sequence[i] = 0;
      c_booked[i] = 0;
      c_generation[i] = 0
    }
    for (i : 0 .. SLOTS - 1) { under_way[i] = false }
    c_slot = NO_SLOT;
    c_used = 0;
    c_journal = 0;
    c_next_offset = 0;
    c_ending = false;
    r = 0; n = 0; i = 0; j = 0; end = 0; generation = 0; total = 0; room = false; booking = false; retired = false;
    s = 0
  }
}

/* The position comes last. Generation and position are one step, as no caller changes both. */
inline publish(index) {
#ifdef FAULT_POSITION_BEFORE_SEQUENCE
  d_step {
    ring[index].line_generation = c_generation[index];
    ring[index].consumer_pos = c_pos[index]
  }
  ring[index].next_sequence = c_sequence[index];
  ring[index].booked_drops = c_booked[index];
#else
  ring[index].next_sequence = c_sequence[index];
#if DROPS
  ring[index].booked_drops = c_booked[index];
#endif
  d_step {
    ring[index].line_generation = c_generation[index];
    ring[index].consumer_pos = c_pos[index]
  }
#endif
}

inline seal() {
  under_way[c_slot] = true;
  c_next_offset = c_next_offset + c_used;
#ifdef FAULT_FREE_BEFORE_WRITTEN
  slot[c_slot].commit_bytes = 0;
  slot[c_slot].commit_journal = 0;
#endif
  c_slot = NO_SLOT;
  c_used = 0;
  c_journal = 0
}

/* One step, as no other process reads slots in use. */
inline space() {
  if
  :: c_slot != NO_SLOT && c_used == SLOT_BYTES -> seal()
  :: else
  fi;
  if
  :: c_slot == NO_SLOT ->
     s = 0;
     do
#ifdef FAULT_FREE_BEFORE_WRITTEN
     :: s < SLOTS && slot[s].commit_bytes != 0 -> s++
#else
     :: s < SLOTS && (slot[s].commit_bytes != 0 || under_way[s]) -> s++
#endif
     :: else -> break
     od;
     if
     :: s < SLOTS ->
        c_slot = s;
        slot[s].file_offset = c_next_offset
     :: else
     fi;
     s = 0
  :: else
  fi;
  room = c_slot != NO_SLOT
}

inline adopt_generation(index) {
  d_step {
    c_sequence[index] = 0;
    c_booked[index] = 0;
    c_generation[index] = generation;
    generation = 0
  }
  publish(index)
}

inline enter_stream(index) {
  atomic {
    generation = ring[index].generation;
    if
    :: generation == c_generation[index] -> generation = 0
    :: else
    fi
  }
  if
  :: generation != 0 -> adopt_generation(index)
  :: else
  fi
}

inline write_journal(index) {
  slot[c_slot].journal[c_journal].of_ring = index;
  slot[c_slot].journal[c_journal].generation = c_generation[index];
  slot[c_slot].journal[c_journal].consumer_pos = c_pos[index];
  slot[c_slot].journal[c_journal].next_sequence = c_sequence[index];
  slot[c_slot].journal[c_journal].booked_drops = c_booked[index];
  c_journal++
}

/* The commit word, then the ring. */
inline accept(index) {
#ifdef FAULT_RELEASE_BEFORE_COMMIT
  publish(index);
#endif
#ifdef FAULT_COMMIT_IN_TWO
  slot[c_slot].commit_bytes = c_used;
  slot[c_slot].commit_journal = c_journal;
#else
  d_step {
    slot[c_slot].commit_bytes = c_used;
    slot[c_slot].commit_journal = c_journal
  }
#endif
#ifndef FAULT_RELEASE_BEFORE_COMMIT
  publish(index)
#endif
}

inline drain(index) {
  atomic {
    end = ring[index].producer_pos;
    if
    :: end == c_pos[index] -> end = 0
    :: else
    fi
  }
  if
  :: end != 0 ->
     enter_stream(index);
     /* The bytes, which do not count yet, and their journal entry. */
     atomic {
       space();
       if
       :: room -> n = 1 /* one record, */
       :: room -> n = SLOT_BYTES /* or as many as are published and fit the slot */
       :: else
       fi;
       d_step {
         do
         :: n > 0 && c_pos[index] < end && c_used < SLOT_BYTES ->
            assert(ring[index].cell[c_pos[index] % CAPACITY] == c_pos[index] + 1);
            assert(c_sequence[index] == c_pos[index] - ring[index].start_pos);
            slot[c_slot].data[c_used] = CODE(index, c_pos[index] + 1);
            c_pos[index]++;
            c_sequence[index]++;
            c_used++;
            n--
         :: else -> break
         od;
         if
         :: room -> write_journal(index)
         :: else
         fi;
         n = 0;
         end = 0
       }
     }
     if
     :: room ->
        room = false;
        accept(index)
     :: else
     fi
  :: else
  fi
}

/* Losses after an owner's last record are reported when the owner has retired. */
inline book_final_drops(index) {
  generation = ring[index].generation;
  retired = ring[index].state == RETIRED || c_ending;
  total = ring[index].dropped_total;
  atomic {
    booking = retired && ring[index].producer_pos == c_pos[index] &&
              generation == ring[index].generation;
    if
    :: generation != c_generation[index] -> n = 1
    :: else -> generation = 0
    fi;
    retired = false
  }
  if
  :: booking && n == 1 && total == 0 -> adopt_generation(index)
  :: booking && total > (n == 1 -> 0 : c_booked[index]) ->
     if
     :: n == 1 -> adopt_generation(index)
     :: else
     fi;
     atomic {
       space();
       if
       :: room ->
          assert(c_sequence[index] == c_pos[index] - ring[index].start_pos);
          slot[c_slot].data[c_used] = DROP_CODE(index, c_generation[index]);
          c_used++;
          c_sequence[index]++;
          c_booked[index] = total;
          write_journal(index)
       :: else
       fi
     }
     if
     :: room ->
        room = false;
        accept(index)
     :: else
     fi
  :: else
  fi;
  atomic { booking = false; total = 0; generation = 0; n = 0 }
}

/* First all bytes, then all positions; the staging file is removed after both. */
inline recover() {
#ifdef FAULT_OFFSET_BEFORE_RECOVERY
  c_next_offset = file_bytes;
#endif
  s = 0;
  do
  :: s < SLOTS && i < slot[s].commit_bytes ->
     d_step {
#ifdef FAULT_RECOVERY_AT_THE_END
       if
       :: i == 0 -> slot[s].file_offset = file_bytes
       :: else
       fi;
#endif
       store_in_file(slot[s].file_offset + i, slot[s].data[i]);
       i++
     }
  :: s < SLOTS && i >= slot[s].commit_bytes -> atomic { i = 0; s++ }
  :: s >= SLOTS -> break
  od;
#ifdef FAULT_REMOVED_BEFORE_POSITIONS
  remove_staging();
#endif
  s = 0;
  do
  :: s < SLOTS && i < slot[s].commit_journal ->
     d_step {
       j = slot[s].journal[i].of_ring;
       room =
#ifndef FAULT_ANY_GENERATION
              slot[s].journal[i].generation == ring[j].line_generation &&
#endif
              (slot[s].journal[i].consumer_pos > ring[j].consumer_pos ||
               (slot[s].journal[i].consumer_pos == ring[j].consumer_pos &&
                slot[s].journal[i].booked_drops > ring[j].booked_drops));
#ifdef FAULT_RECOVERY_MOVES_BACK
       room = slot[s].journal[i].generation == ring[j].line_generation;
#endif
#ifdef FAULT_RECOVERY_WITHOUT_POSITIONS
       room = false
#endif
     }
     if
     :: room ->
        ring[j].next_sequence = slot[s].journal[i].next_sequence;
#if DROPS
        ring[j].booked_drops = slot[s].journal[i].booked_drops;
#endif
        ring[j].consumer_pos = slot[s].journal[i].consumer_pos
     :: else
     fi;
     atomic { room = false; j = 0; i++ }
  :: s < SLOTS && i >= slot[s].commit_journal -> atomic { i = 0; s++ }
  :: s >= SLOTS -> break
  od;
  s = 0;
  remove_staging()
}

/* Sets the commit word to 0. The rest has no meaning from here on, and is cleared to reduce the number
 * of states. */
inline clear_slot(index) {
  slot[index].commit_bytes = 0;
  slot[index].commit_journal = 0;
  slot[index].file_offset = 0;
  for (i : 0 .. SLOT_BYTES - 1) {
    slot[index].data[i] = 0;
    slot[index].journal[i].of_ring = 0;
    slot[index].journal[i].generation = 0;
    slot[index].journal[i].consumer_pos = 0;
    slot[index].journal[i].next_sequence = 0;
    slot[index].journal[i].booked_drops = 0
  }
  i = 0
}

inline remove_staging() {
  d_step {
    for (s : 0 .. SLOTS - 1) { clear_slot(s) }
    s = 0;
    i = 0
  }
}

/* Adopts the segment: each ring continues at the position in its consumer line. */
inline adopt() {
  d_step {
    for (i : 0 .. RINGS - 1) {
      c_generation[i] = ring[i].line_generation;
      c_pos[i] = ring[i].consumer_pos;
      c_sequence[i] = ring[i].next_sequence;
      c_booked[i] = ring[i].booked_drops
    }
#ifndef FAULT_OFFSET_BEFORE_RECOVERY
    c_next_offset = file_bytes;
#endif
    i = 0
  }
}

/* All bytes of a slot have reached the disk; the slot is freed. */
inline finish_write(index) {
  d_step {
    under_way[index] ->
    for (i : 0 .. SLOT_BYTES - 1) {
      if
      :: slot[index].data[i] != 0 -> store_in_file(slot[index].file_offset + i, slot[index].data[i])
      :: else
      fi
    }
    clear_slot(index);
    under_way[index] = false
  }
}

/* Every published record once and in order, every loss reported once, and nothing else. */
inline check_file() {
  for (r : 0 .. RINGS - 1) {
    n = 0; /* records of this ring so far */
    for (i : 0 .. FILE_BYTES - 1) {
      if
      :: file[i] >= CODE(r, 1) && file[i] <= CODE(r, STREAM_BYTES) ->
         assert(file[i] == CODE(r, n + 1)); /* in order, and none twice */
         n++
      :: else
      fi;
      assert((file[i] == 0) == (i >= file_bytes))
    }
    assert(n == ring[r].producer_pos); /* none lost */
    for (j : 0 .. OWNERS - 1) {
      n = 0;
      for (i : 0 .. FILE_BYTES - 1) {
        if
        :: file[i] == DROP_CODE(r, j + 1) -> n++
        :: else
        fi
      }
      assert(n == drops_of[r * OWNERS + j])
    }
  }
}

proctype consumerd() {
  byte r, s, i, j, n, end, generation, total;
  bool room, booking, retired;
start:
  {
    recover();
    adopt();
    do
    /* the parts of a poll round, in any order */
    :: !c_ending && ring[0].producer_pos != c_pos[0] -> drain(0)
    :: !c_ending && ring[1].producer_pos != c_pos[1] -> drain(1)
#if DROPS || OWNERS > 1
    :: !c_ending && ring[0].state == RETIRED -> book_final_drops(0)
    :: !c_ending && ring[1].state == RETIRED -> book_final_drops(1)
#endif
    /* a partly filled slot is written after some time */
    :: d_step { c_slot != NO_SLOT && c_used > 0 -> seal() }
    :: finish_write(0)
    :: finish_write(1)
#ifdef FAULT_LEAVE_IF_DRAINED_BEFORE_DEATH
    :: !c_ending && ring[0].producer_pos == c_pos[0] && ring[1].producer_pos == c_pos[1] ->
       service_over;
       c_ending = true;
       break
#else
    :: !c_ending && service_over -> c_ending = true
#endif
    :: c_ending ->
       /* Repeats until nothing is left: full staging ends an attempt, not the work. */
       drain(r);
#if DROPS || OWNERS > 1
       book_final_drops(r);
#endif
       if
       :: ring[r].producer_pos != c_pos[r]
#if DROPS
       :: ring[r].dropped_total != c_booked[r]
#endif
       :: else ->
          if
          :: r + 1 < RINGS -> r++
          :: else -> break
          fi
       fi
    od;
    r = 0;
    if
    :: d_step { c_slot != NO_SLOT && c_used > 0 -> seal() }
    :: !(c_slot != NO_SLOT && c_used > 0)
    fi;
    do
    :: finish_write(0)
    :: finish_write(1)
    :: !under_way[0] && !under_way[1] -> break
    od;
    n = 0;
    /* Removes the segment. */
    d_step {
      check_file();
      left = true
    }
end_of_work:
    false
  } unless {
    atomic {
      kill ? _;
      die()
    }
    goto start
  }
}

init {
  atomic {
    run producer(0);
#if RECORDS_1
    run producer(1);
#endif
    run consumerd();
    run killer()
  }
}
