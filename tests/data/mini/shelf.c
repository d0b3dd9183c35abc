/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

/* Holds things. */
struct shelf {
    int size;
};

static int put(struct shelf *shelf, int thing)
{
    return shelf->size += thing;
}

